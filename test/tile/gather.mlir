// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: nereid-opt %s -split-input-file -verify-diagnostics | nereid-opt -split-input-file | FileCheck %s

// CHECK-LABEL: @f
func.func @f(%x: tensor<4x8xf32>, %i: tensor<4x2xi32>) {
  // CHECK: tile.gather %{{.*}}[%{{.*}}] 1 : tensor<4x8xf32>[tensor<4x2xi32>] -> tensor<4x2xf32>
  %0 = tile.gather %x[%i] 1 : tensor<4x8xf32>[tensor<4x2xi32>] -> tensor<4x2xf32>
  return
}

// -----

func.func @bad(%x: tensor<4x8xf32>, %i: tensor<4x2xi32>) {
  // expected-error @below {{c1:}}
  %0 = tile.gather %x[%i] 1 : tensor<4x8xf32>[tensor<4x2xi32>] -> tensor<4x4xf32>
  return
}

// -----

func.func @bad(%x: tensor<4x8xf32>, %i: tensor<4x2xi32>) {
  // expected-error @below {{c2:}}
  %0 = tile.gather %x[%i] 0 : tensor<4x8xf32>[tensor<4x2xi32>] -> tensor<4x2xf32>
  return
}
