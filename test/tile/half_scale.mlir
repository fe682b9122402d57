// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: nereid-opt %s -split-input-file -verify-diagnostics | nereid-opt -split-input-file | FileCheck %s

// CHECK-LABEL: @f
func.func @f(%greatest: tensor<8xf32>) {
  // CHECK: tile.half_scale %{{.*}} : tensor<8xf32>
  %0 = tile.half_scale %greatest : tensor<8xf32>
  return
}

// -----

func.func @bad(%x: tensor<8xf16>) {
  // expected-error @below {{c1: the elements are f32, found 'f16'}}
  %0 = tile.half_scale %x : tensor<8xf16>
  return
}
