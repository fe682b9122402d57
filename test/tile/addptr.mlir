// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: nereid-opt %s -split-input-file -verify-diagnostics | nereid-opt -split-input-file | FileCheck %s

// CHECK-LABEL: @f
func.func @f(%p: tensor<64x!tile.ptr<f32>>, %o: tensor<64xi32>, %q: !tile.ptr<ui8>, %n: i64) {
  // CHECK: tile.addptr %{{.*}}, %{{.*}} : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %0 = tile.addptr %p, %o : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  // CHECK: tile.addptr %{{.*}}, %{{.*}} : !tile.ptr<ui8>, i64
  %1 = tile.addptr %q, %n : !tile.ptr<ui8>, i64
  return
}

// -----

func.func @bad(%p: tensor<64x!tile.ptr<f32>>, %o: i32) {
  // expected-error @below {{c1:}}
  %0 = tile.addptr %p, %o : tensor<64x!tile.ptr<f32>>, i32
  return
}
