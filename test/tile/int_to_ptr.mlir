// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: nereid-opt %s -split-input-file -verify-diagnostics | nereid-opt -split-input-file | FileCheck %s

// CHECK-LABEL: @f
func.func @f(%i: i64) {
  // CHECK: tile.int_to_ptr %{{.*}} : i64 -> !tile.ptr<f16>
  %0 = tile.int_to_ptr %i : i64 -> !tile.ptr<f16>
  return
}

// -----

func.func @bad(%i: i32) {
  // expected-error @below {{c1: the value must be i64}}
  %0 = tile.int_to_ptr %i : i32 -> !tile.ptr<f16>
  return
}
