// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: nereid-opt %s -split-input-file -verify-diagnostics | nereid-opt -split-input-file | FileCheck %s

// CHECK-LABEL: @f
func.func @f(%p: tensor<64x!tile.ptr<f32>>) {
  // CHECK: tile.ptr_to_int %{{.*}} : tensor<64x!tile.ptr<f32>> -> tensor<64xi64>
  %0 = tile.ptr_to_int %p : tensor<64x!tile.ptr<f32>> -> tensor<64xi64>
  return
}

// -----

func.func @bad(%p: tensor<64x!tile.ptr<f32>>) {
  // expected-error @below {{c1: the result must be i64}}
  %0 = tile.ptr_to_int %p : tensor<64x!tile.ptr<f32>> -> tensor<64xi32>
  return
}
