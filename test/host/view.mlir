// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: nereid-opt %s -split-input-file -verify-diagnostics | nereid-opt -split-input-file | FileCheck %s

// CHECK-LABEL: @f
func.func @f(%x: !host.tensor<[M, N] x f32, [N, 1]>, %y: !host.tensor<[M, N] x f32, [ys0, ys1]>) {
  // CHECK: host.view %{{.*}} offset <N> : {{.*}} -> !host.tensor<[N] x f32, [1]>
  %0 = host.view %x offset <N> : !host.tensor<[M, N] x f32, [N, 1]> -> !host.tensor<[N] x f32, [1]>
  return
}

// -----

func.func @bad(%x: !host.tensor<[M, N] x f32, [N, 1]>, %y: !host.tensor<[M, N] x f32, [ys0, ys1]>) {
  // expected-error @below {{c1: element types of}}
  %0 = host.view %x offset <0> : !host.tensor<[M, N] x f32, [N, 1]> -> !host.tensor<[N] x f16, [1]>
  return
}
