// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: nereid-opt %s -split-input-file -verify-diagnostics | nereid-opt -split-input-file | FileCheck %s

// CHECK-LABEL: @f
func.func @f(%x: tensor<4xf32>) {
  // CHECK: tile.cat %{{.*}}, %{{.*}} : tensor<4xf32>, tensor<4xf32> -> tensor<8xf32>
  %0 = tile.cat %x, %x : tensor<4xf32>, tensor<4xf32> -> tensor<8xf32>
  return
}

// -----

func.func @bad(%x: tensor<4xf32>) {
  // expected-error @below {{c1:}}
  %0 = tile.cat %x, %x : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  return
}
