// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: nereid-opt %s -split-input-file -verify-diagnostics | nereid-opt -split-input-file | FileCheck %s

// CHECK-LABEL: @f
func.func @f(%x: !host.tensor<[M, N] x f32, [N, 1]>, %y: !host.tensor<[M, N] x f32, [ys0, ys1]>, %c: i1) {
  // CHECK: host.if %{{.*}} -> !host.tensor<[M, N] x f32, [N, 1]> {
  %0 = host.if %c -> !host.tensor<[M, N] x f32, [N, 1]> {
    host.yield %x : !host.tensor<[M, N] x f32, [N, 1]>
  // CHECK: } else {
  } else {
    host.yield %x : !host.tensor<[M, N] x f32, [N, 1]>
  }
  // CHECK: host.if %{{.*}} {
  host.if %c {
    host.yield
  } else {
    host.yield
  }
  return
}

// -----

// CHECK-LABEL: @strides
func.func @strides(%x: !host.tensor<[M, N] x f32, [N, 1]>, %y: !host.tensor<[M, N] x f32, [ys0, ys1]>, %c: i1) {
  // CHECK: host.if %{{.*}} -> !host.tensor<[M, N] x f32, [z0, z1]> {
  %0 = host.if %c -> !host.tensor<[M, N] x f32, [z0, z1]> {
    host.yield %x : !host.tensor<[M, N] x f32, [N, 1]>
  } else {
    host.yield %y : !host.tensor<[M, N] x f32, [ys0, ys1]>
  }
  return
}

// -----

func.func @bad(%x: !host.tensor<[M, N] x f32, [N, 1]>, %y: !host.tensor<[M, N] x f32, [ys0, ys1]>, %c: i1, %z: !host.tensor<[N, M] x f32, [M, 1]>) {
  // expected-error @below {{c1: both arms must yield the types of the results}}
  %0 = host.if %c -> !host.tensor<[M, N] x f32, [N, 1]> {
    host.yield %x : !host.tensor<[M, N] x f32, [N, 1]>
  } else {
    host.yield %z : !host.tensor<[N, M] x f32, [M, 1]>
  }
  return
}
