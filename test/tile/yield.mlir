// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: nereid-opt %s -split-input-file -verify-diagnostics | nereid-opt -split-input-file | FileCheck %s

// CHECK-LABEL: @f
func.func @f(%x: tensor<8xf32>) {
  %0 = tile.reduce 0(%x) {
  ^bb0(%a: f32, %b: f32):
  // CHECK: tile.yield %{{.*}} : f32
  tile.yield %a : f32
  } : tensor<8xf32> -> f32
  return
}

// -----

func.func @bad(%x: f32) {
  // expected-error @below {{expects parent op to be one of 'tile.reduce, tile.scan'}}
  tile.yield %x : f32
  return
}
