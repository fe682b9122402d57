// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: nereid-opt %s -split-input-file -verify-diagnostics | nereid-opt -split-input-file | FileCheck %s

// CHECK-LABEL: @f
func.func @f(%x: f32, %p: !tile.ptr<f16>) {
  // CHECK: tile.splat %{{.*}} : f32 -> tensor<4x8xf32>
  %0 = tile.splat %x : f32 -> tensor<4x8xf32>
  // CHECK: tile.splat %{{.*}} : !tile.ptr<f16> -> tensor<4x!tile.ptr<f16>>
  %1 = tile.splat %p : !tile.ptr<f16> -> tensor<4x!tile.ptr<f16>>
  return
}

// -----

func.func @bad(%x: f32) {
  // expected-error @below {{c1: the element type 'f16' is not the value's type 'f32'}}
  %0 = tile.splat %x : f32 -> tensor<4xf16>
  return
}
