// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: nereid-opt %s -split-input-file -verify-diagnostics | nereid-opt -split-input-file | FileCheck %s

// CHECK-LABEL: @f
func.func @f(%a: tensor<16x8xf16>, %b: tensor<8x32xf16>, %c: tensor<16x32xf32>) {
  // CHECK: tile.dot ieee %{{.*}}, %{{.*}}, %{{.*}} : tensor<16x8xf16>, tensor<8x32xf16> -> tensor<16x32xf32>
  %0 = tile.dot ieee %a, %b, %c : tensor<16x8xf16>, tensor<8x32xf16> -> tensor<16x32xf32>
  return
}

// -----

// CHECK-LABEL: @batched
func.func @batched(%a: tensor<2x16x8xf8E4M3FN>, %b: tensor<2x8x32xf8E5M2>, %c: tensor<2x16x32xf32>) {
  // CHECK: tile.dot tf32
  %0 = tile.dot tf32 %a, %b, %c : tensor<2x16x8xf8E4M3FN>, tensor<2x8x32xf8E5M2> -> tensor<2x16x32xf32>
  return
}

// -----

func.func @bad(%a: tensor<8xf32>, %b: tensor<8x4xf32>, %c: tensor<8x4xf32>) {
  // expected-error @below {{c1: all ranks must be 2, or all 3}}
  %0 = tile.dot ieee %a, %b, %c : tensor<8xf32>, tensor<8x4xf32> -> tensor<8x4xf32>
  return
}

// -----

func.func @bad(%a: tensor<8x8xf32>, %b: tensor<4x4xf32>, %c: tensor<8x4xf32>) {
  // expected-error @below {{c2: extents}}
  %0 = tile.dot ieee %a, %b, %c : tensor<8x8xf32>, tensor<4x4xf32> -> tensor<8x4xf32>
  return
}

// -----

func.func @bad(%a: tensor<8x8xf32>, %b: tensor<8x4xf16>, %c: tensor<8x4xf32>) {
  // expected-error @below {{c3: operands must have one element type}}
  %0 = tile.dot ieee %a, %b, %c : tensor<8x8xf32>, tensor<8x4xf16> -> tensor<8x4xf32>
  return
}

// -----

func.func @bad(%a: tensor<8x8xf32>, %b: tensor<8x4xf32>, %c: tensor<8x4xf16>) {
  // expected-error @below {{c4: an accumulator of 'f16' does not fit operands of 'f32'}}
  %0 = tile.dot ieee %a, %b, %c : tensor<8x8xf32>, tensor<8x4xf32> -> tensor<8x4xf16>
  return
}
