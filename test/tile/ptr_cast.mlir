// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: nereid-opt %s -split-input-file -verify-diagnostics | nereid-opt -split-input-file | FileCheck %s

// CHECK-LABEL: @f
func.func @f(%p: !tile.ptr<f16>) {
  // CHECK: tile.ptr_cast %{{.*}} : !tile.ptr<f16> -> !tile.ptr<i16>
  %0 = tile.ptr_cast %p : !tile.ptr<f16> -> !tile.ptr<i16>
  return
}

// -----

func.func @bad(%p: !tile.ptr<f16>) {
  // expected-error @below {{c1:}}
  %0 = tile.ptr_cast %p : !tile.ptr<f16> -> tensor<4x!tile.ptr<i16>>
  return
}
