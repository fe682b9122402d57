// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: nereid-opt %s -split-input-file -verify-diagnostics | nereid-opt -split-input-file | FileCheck %s

// CHECK-LABEL: @f
func.func @f(%p: !tile.ptr<i32>, %v: i32, %m: i1) {
  // CHECK: tile.atomic_rmw add %{{.*}}, %{{.*}} mask %{{.*}} : i1 : !tile.ptr<i32>, i32 -> i32
  %0 = tile.atomic_rmw add %p, %v mask %m : i1 : !tile.ptr<i32>, i32 -> i32
  // CHECK: tile.atomic_rmw xchg %{{.*}}, %{{.*}} {scope = #tile.scope<sys>, sem = #tile.sem<release>}
  %1 = tile.atomic_rmw xchg %p, %v {sem = #tile.sem<release>, scope = #tile.scope<sys>} : !tile.ptr<i32>, i32 -> i32
  return
}

// -----

func.func @bad(%p: !tile.ptr<i32>, %v: i64) {
  // expected-error @below {{c1: the value must be}}
  %0 = tile.atomic_rmw add %p, %v : !tile.ptr<i32>, i64 -> i64
  return
}

// -----

func.func @bad(%p: !tile.ptr<i32>, %v: i32, %m: tensor<4xi1>) {
  // expected-error @below {{c2: mask}}
  %0 = tile.atomic_rmw add %p, %v mask %m : tensor<4xi1> : !tile.ptr<i32>, i32 -> i32
  return
}

// -----

func.func @bad(%p: !tile.ptr<i32>, %v: i32) {
  // expected-error @below {{c3: 'fadd' does not fit 'i32'}}
  %0 = tile.atomic_rmw fadd %p, %v : !tile.ptr<i32>, i32 -> i32
  return
}
