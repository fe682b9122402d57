// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: nereid-opt %s -split-input-file -verify-diagnostics | nereid-opt -split-input-file | FileCheck %s

// CHECK-LABEL: @f
func.func @f(%x: tensor<4x1xf32>) {
  // CHECK: tile.broadcast %{{.*}} : tensor<4x1xf32> -> tensor<4x8xf32>
  %0 = tile.broadcast %x : tensor<4x1xf32> -> tensor<4x8xf32>
  return
}

// -----

func.func @bad(%x: tensor<4xf32>) {
  // expected-error @below {{c1: ranks and element types}}
  %0 = tile.broadcast %x : tensor<4xf32> -> tensor<4x8xf32>
  return
}

// -----

func.func @bad(%x: tensor<4x2xf32>) {
  // expected-error @below {{c2: extent 2 of axis 1 cannot be repeated to 8}}
  %0 = tile.broadcast %x : tensor<4x2xf32> -> tensor<4x8xf32>
  return
}
