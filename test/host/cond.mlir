// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: nereid-opt %s -split-input-file -verify-diagnostics | nereid-opt -split-input-file | FileCheck %s

// CHECK-LABEL: @f
func.func @f(%x: !host.tensor<[M, N] x f32, [N, 1]>, %y: !host.tensor<[M, N] x f32, [ys0, ys1]>) {
  // CHECK: host.cond <"M == N">
  %0 = host.cond <"M == N">
  return
}
