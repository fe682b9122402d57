// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: nereid-opt %s -split-input-file -verify-diagnostics | nereid-opt -split-input-file | FileCheck %s

// CHECK-LABEL: @f
func.func @f(%x: tensor<4x8xf32>) {
  // CHECK: tile.scan 1(%{{.*}}) {
  %0 = tile.scan 1(%x) {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tile.yield %s : f32
  } : tensor<4x8xf32> -> tensor<4x8xf32>
  // CHECK: } : tensor<4x8xf32> -> tensor<4x8xf32>
  return
}

// -----

// CHECK-LABEL: @backwards
func.func @backwards(%x: tensor<8xf32>) {
  // CHECK: tile.scan reverse 0(%{{.*}}) {
  %0 = tile.scan reverse 0(%x) {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tile.yield %s : f32
  } : tensor<8xf32> -> tensor<8xf32>
  return
}

// -----

func.func @bad(%x: tensor<4xf32>) {
  // expected-error @below {{c1: axis -1 is not within rank 1}}
  %0 = tile.scan -1(%x) {
  ^bb0(%a: f32, %b: f32):
    tile.yield %a : f32
  } : tensor<4xf32> -> tensor<4xf32>
  return
}

// -----

func.func @bad(%x: tensor<4xf32>, %y: tensor<8xf32>) {
  // expected-error @below {{c2: all values must have one shape}}
  %0:2 = tile.scan 0(%x, %y) {
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32):
    tile.yield %a, %b : f32, f32
  } : tensor<4xf32>, tensor<8xf32> -> tensor<4xf32>, tensor<8xf32>
  return
}

// -----

func.func @bad(%x: tensor<4xf32>) {
  // expected-error @below {{c3:}}
  %0 = tile.scan 0(%x) {
  ^bb0(%a: f32, %b: f32):
    tile.yield %a : f32
  } : tensor<4xf32> -> tensor<8xf32>
  return
}

// -----

func.func @bad(%x: tensor<4xf32>) {
  // expected-error @below {{c4: the region must take 2 scalars}}
  %0 = tile.scan 0(%x) {
  ^bb0(%a: f32):
    tile.yield %a : f32
  } : tensor<4xf32> -> tensor<4xf32>
  return
}
