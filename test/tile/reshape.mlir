// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: nereid-opt %s -split-input-file -verify-diagnostics | nereid-opt -split-input-file | FileCheck %s

// CHECK-LABEL: @f
func.func @f(%x: tensor<4x8xf32>) {
  // CHECK: tile.reshape %{{.*}} : tensor<4x8xf32> -> tensor<32xf32>
  %0 = tile.reshape %x : tensor<4x8xf32> -> tensor<32xf32>
  return
}

// -----

func.func @bad(%x: tensor<4x8xf32>) {
  // expected-error @below {{c1: element types}}
  %0 = tile.reshape %x : tensor<4x8xf32> -> tensor<32xf16>
  return
}

// -----

func.func @bad(%x: tensor<4x8xf32>) {
  // expected-error @below {{c2: 32 elements cannot become 16}}
  %0 = tile.reshape %x : tensor<4x8xf32> -> tensor<16xf32>
  return
}
