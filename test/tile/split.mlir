// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: nereid-opt %s -split-input-file -verify-diagnostics | nereid-opt -split-input-file | FileCheck %s

// CHECK-LABEL: @f
func.func @f(%x: tensor<4x2xf32>, %y: tensor<2xf32>) {
  // CHECK: tile.split %{{.*}} : tensor<4x2xf32> -> tensor<4xf32>
  %0, %1 = tile.split %x : tensor<4x2xf32> -> tensor<4xf32>
  // CHECK: tile.split %{{.*}} : tensor<2xf32> -> f32
  %2:2 = tile.split %y : tensor<2xf32> -> f32
  return
}

// -----

func.func @bad(%x: tensor<2x4xf32>) {
  // expected-error @below {{c1:}}
  %0:2 = tile.split %x : tensor<2x4xf32> -> tensor<2xf32>
  return
}
