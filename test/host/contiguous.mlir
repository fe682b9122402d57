// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: nereid-opt %s -split-input-file -verify-diagnostics | nereid-opt -split-input-file | FileCheck %s

// CHECK-LABEL: @f
func.func @f(%x: !host.tensor<[M, N] x f32, [N, 1]>, %y: !host.tensor<[M, N] x f32, [ys0, ys1]>) {
  // CHECK: host.contiguous %{{.*}} : !host.tensor<[M, N] x f32, [ys0, ys1]> -> !host.tensor<[M, N] x f32, [N, 1]>
  %0 = host.contiguous %y : !host.tensor<[M, N] x f32, [ys0, ys1]> -> !host.tensor<[M, N] x f32, [N, 1]>
  return
}

// -----

func.func @bad(%x: !host.tensor<[M, N] x f32, [N, 1]>, %y: !host.tensor<[M, N] x f32, [ys0, ys1]>) {
  // expected-error @below {{c1: sizes and element types}}
  %0 = host.contiguous %y : !host.tensor<[M, N] x f32, [ys0, ys1]> -> !host.tensor<[N, M] x f32, [M, 1]>
  return
}

// -----

func.func @bad(%x: !host.tensor<[M, N] x f32, [N, 1]>, %y: !host.tensor<[M, N] x f32, [ys0, ys1]>) {
  // expected-error @below {{c2: the strides of}}
  %0 = host.contiguous %y : !host.tensor<[M, N] x f32, [ys0, ys1]> -> !host.tensor<[M, N] x f32, [ys0, ys1]>
  return
}
