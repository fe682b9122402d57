// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: nereid-opt %s -split-input-file -verify-diagnostics | nereid-opt -split-input-file | FileCheck %s

// CHECK-LABEL: @f
func.func @f(%p: !tile.ptr<i32>, %v: i32) {
  // CHECK: tile.atomic_cas %{{.*}}, %{{.*}}, %{{.*}} : !tile.ptr<i32>, i32 -> i32
  %0 = tile.atomic_cas %p, %v, %v : !tile.ptr<i32>, i32 -> i32
  return
}

// -----

func.func @bad(%p: !tile.ptr<i32>, %v: i64) {
  // expected-error @below {{c1: the expected value must be}}
  %0 = tile.atomic_cas %p, %v, %v : !tile.ptr<i32>, i64 -> i64
  return
}
