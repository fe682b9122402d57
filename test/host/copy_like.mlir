// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: nereid-opt %s -split-input-file -verify-diagnostics | nereid-opt -split-input-file | FileCheck %s

// CHECK-LABEL: @f
func.func @f(%x: !host.tensor<[M, N] x f32, [xs0, xs1]>, %y: !host.tensor<[M, N] x f32, [N, 1]>) {
  // CHECK: host.copy_like %{{.*}} like %{{.*}} : {{.*}} -> !host.tensor<[M, N] x f32, [ys0, ys1]>
  %0 = host.copy_like %y like %x : !host.tensor<[M, N] x f32, [N, 1]>, !host.tensor<[M, N] x f32, [xs0, xs1]> -> !host.tensor<[M, N] x f32, [ys0, ys1]>
  return
}

// -----

func.func @bad_strides(%x: !host.tensor<[M, N] x f32, [xs0, xs1]>, %y: !host.tensor<[M, N] x f32, [N, 1]>) {
  // expected-error @below {{c1: with operands every stride must be a symbol of its own, found '1'}}
  %0 = host.copy_like %y like %x : !host.tensor<[M, N] x f32, [N, 1]>, !host.tensor<[M, N] x f32, [xs0, xs1]> -> !host.tensor<[M, N] x f32, [N, 1]>
  return
}

// -----

func.func @bad_sizes(%x: !host.tensor<[M, N] x f32, [xs0, xs1]>, %y: !host.tensor<[M] x f32, [1]>) {
  // expected-error @below {{c2: sizes and element types of}}
  %0 = host.copy_like %y like %x : !host.tensor<[M] x f32, [1]>, !host.tensor<[M, N] x f32, [xs0, xs1]> -> !host.tensor<[M, N] x f32, [ys0, ys1]>
  return
}
