// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: nereid-opt %s -split-input-file -verify-diagnostics | nereid-opt -split-input-file | FileCheck %s

// CHECK-LABEL: @f
func.func @f(%x: !host.tensor<[M, N] x f32, [N, 1]>, %y: !host.tensor<[M, N] x f32, [ys0, ys1]>) {
  // CHECK: host.assign %{{.*}}, %{{.*}} : 
  host.assign %x, %y : !host.tensor<[M, N] x f32, [N, 1]>, !host.tensor<[M, N] x f32, [ys0, ys1]>
  return
}

// -----

func.func @bad(%x: !host.tensor<[M, N] x f32, [N, 1]>, %y: !host.tensor<[M, N] x f32, [ys0, ys1]>, %z: !host.tensor<[N, M] x f32, [M, 1]>) {
  // expected-error @below {{c1: sizes and element types of}}
  host.assign %x, %z : !host.tensor<[M, N] x f32, [N, 1]>, !host.tensor<[N, M] x f32, [M, 1]>
  return
}
