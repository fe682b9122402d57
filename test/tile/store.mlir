// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: nereid-opt %s -split-input-file -verify-diagnostics | nereid-opt -split-input-file | FileCheck %s

// CHECK-LABEL: @f
func.func @f(%p: tensor<64x!tile.ptr<f32>>, %m: tensor<64xi1>, %v: tensor<64xf32>) {
  // CHECK: tile.store %{{.*}}, %{{.*}} mask %{{.*}} : tensor<64xi1> : tensor<64x!tile.ptr<f32>>, tensor<64xf32>
  tile.store %p, %v mask %m : tensor<64xi1> : tensor<64x!tile.ptr<f32>>, tensor<64xf32>
  return
}

// -----

func.func @bad(%p: tensor<64x!tile.ptr<f32>>, %v: tensor<64xf16>) {
  // expected-error @below {{c1: the value must be}}
  tile.store %p, %v : tensor<64x!tile.ptr<f32>>, tensor<64xf16>
  return
}

// -----

func.func @bad(%p: tensor<64x!tile.ptr<f32>>, %v: tensor<64xf32>, %m: tensor<32xi1>) {
  // expected-error @below {{c2: mask}}
  tile.store %p, %v mask %m : tensor<32xi1> : tensor<64x!tile.ptr<f32>>, tensor<64xf32>
  return
}
