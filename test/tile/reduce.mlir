// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: nereid-opt %s -split-input-file -verify-diagnostics | nereid-opt -split-input-file | FileCheck %s

// CHECK-LABEL: @f
func.func @f(%x: tensor<4x8xf32>) {
  // CHECK: tile.reduce 1(%{{.*}}) {
  %0 = tile.reduce 1(%x) {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tile.yield %s : f32
  } : tensor<4x8xf32> -> tensor<4xf32>
  // CHECK: } : tensor<4x8xf32> -> tensor<4xf32>
  return
}

// -----

// CHECK-LABEL: @pair
func.func @pair(%x: tensor<8xf32>, %i: tensor<8xi32>) {
  // CHECK: tile.reduce 0(%{{.*}}, %{{.*}}) {
  %0:2 = tile.reduce 0(%x, %i) {
  ^bb0(%a: f32, %i0: i32, %b: f32, %i1: i32):
    tile.yield %b, %i1 : f32, i32
  } : tensor<8xf32>, tensor<8xi32> -> f32, i32
  // CHECK: } : tensor<8xf32>, tensor<8xi32> -> f32, i32
  return
}

// -----

func.func @bad(%x: tensor<4xf32>) {
  // expected-error @below {{c1: axis 1 is not within rank 1}}
  %0 = tile.reduce 1(%x) {
  ^bb0(%a: f32, %b: f32):
    tile.yield %a : f32
  } : tensor<4xf32> -> f32
  return
}

// -----

func.func @bad(%x: tensor<4xf32>, %y: tensor<8xf32>) {
  // expected-error @below {{c2: all values must have one shape}}
  %0:2 = tile.reduce 0(%x, %y) {
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32):
    tile.yield %a, %b : f32, f32
  } : tensor<4xf32>, tensor<8xf32> -> f32, f32
  return
}

// -----

func.func @bad(%x: tensor<4x8xf32>) {
  // expected-error @below {{c3:}}
  %0 = tile.reduce 1(%x) {
  ^bb0(%a: f32, %b: f32):
    tile.yield %a : f32
  } : tensor<4x8xf32> -> tensor<8xf32>
  return
}

// -----

func.func @bad(%x: tensor<4xf32>) {
  // expected-error @below {{c4: the region must take 2 scalars}}
  %0 = tile.reduce 0(%x) {
  ^bb0(%a: f32):
    tile.yield %a : f32
  } : tensor<4xf32> -> f32
  return
}

// -----

func.func @bad(%x: tensor<4xf32>) {
  // expected-error @below {{c4: the region must yield 1 scalars}}
  %0 = tile.reduce 0(%x) {
  ^bb0(%a: f32, %b: f32):
    tile.yield %a, %b : f32, f32
  } : tensor<4xf32> -> f32
  return
}
