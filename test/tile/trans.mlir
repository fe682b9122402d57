// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: nereid-opt %s -split-input-file -verify-diagnostics | nereid-opt -split-input-file | FileCheck %s

// CHECK-LABEL: @f
func.func @f(%x: tensor<2x4x8xf32>) {
  // CHECK: tile.trans %{{.*}} {{\[}}2, 0, 1{{\]}} : tensor<2x4x8xf32> -> tensor<8x2x4xf32>
  %0 = tile.trans %x [2, 0, 1] : tensor<2x4x8xf32> -> tensor<8x2x4xf32>
  return
}

// -----

func.func @bad(%x: tensor<2x4xf32>) {
  // expected-error @below {{c1: order is not a permutation of 2 axes}}
  %0 = tile.trans %x [0, 0] : tensor<2x4xf32> -> tensor<2x2xf32>
  return
}

// -----

func.func @bad(%x: tensor<2x4xf32>) {
  // expected-error @below {{c2:}}
  %0 = tile.trans %x [1, 0] : tensor<2x4xf32> -> tensor<2x4xf32>
  return
}
