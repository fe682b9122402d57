// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: nereid-opt %s -split-input-file -verify-diagnostics | nereid-opt -split-input-file | FileCheck %s

// CHECK-LABEL: @f
func.func @f(%x: tensor<8xf32>) {
  // CHECK: tile.relabel %{{.*}} : tensor<8xf32> -> tensor<8xf32, #tile.dims<["N"]>>
  %0 = tile.relabel %x : tensor<8xf32> -> tensor<8xf32, #tile.dims<["N"]>>
  return
}

// -----

func.func @bad(%x: tensor<8xf32>) {
  // expected-error @below {{c1: shapes and element types}}
  %0 = tile.relabel %x : tensor<8xf32> -> tensor<4xf32, #tile.dims<["N"]>>
  return
}
