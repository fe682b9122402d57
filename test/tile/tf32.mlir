// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: nereid-opt %s -split-input-file -verify-diagnostics | nereid-opt -split-input-file | FileCheck %s

// CHECK-LABEL: @f
func.func @f(%x: tensor<8xf32>) {
  // CHECK: tile.tf32 %{{.*}} : tensor<8xf32>
  %0 = tile.tf32 %x : tensor<8xf32>
  return
}

// -----

func.func @bad(%x: tensor<8xf16>) {
  // expected-error @below {{c1: the elements are f32, found 'f16'}}
  %0 = tile.tf32 %x : tensor<8xf16>
  return
}
