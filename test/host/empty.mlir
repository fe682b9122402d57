// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: nereid-opt %s -split-input-file -verify-diagnostics | nereid-opt -split-input-file | FileCheck %s

// CHECK-LABEL: @f
func.func @f(%x: !host.tensor<[M, N] x f32, [N, 1]>, %y: !host.tensor<[M, N] x f32, [ys0, ys1]>) {
  // CHECK: host.empty -> !host.tensor<[M, N] x f32, [N, 1]>
  %0 = host.empty -> !host.tensor<[M, N] x f32, [N, 1]>
  // CHECK: host.empty like %{{.*}} : {{.*}} -> !host.tensor<[M, N] x f16, [zs0, zs1]>
  %1 = host.empty like %y : !host.tensor<[M, N] x f32, [ys0, ys1]> -> !host.tensor<[M, N] x f16, [zs0, zs1]>
  return
}

// -----

func.func @bad(%x: !host.tensor<[M, N] x f32, [N, 1]>, %y: !host.tensor<[M, N] x f32, [ys0, ys1]>) {
  // expected-error @below {{c1: with operands every stride must be a symbol of its own, found '1'}}
  %0 = host.empty like %y : !host.tensor<[M, N] x f32, [ys0, ys1]> -> !host.tensor<[M, N] x f32, [N, 1]>
  return
}
