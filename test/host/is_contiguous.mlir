// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: nereid-opt %s -split-input-file -verify-diagnostics | nereid-opt -split-input-file | FileCheck %s

// CHECK-LABEL: @f
func.func @f(%x: !host.tensor<[M, N] x f32, [N, 1]>, %y: !host.tensor<[M, N] x f32, [ys0, ys1]>) {
  // CHECK: host.is_contiguous %{{.*}}, %{{.*}} : !host.tensor<{{.*}}>, !host.tensor<{{.*}}>
  %0 = host.is_contiguous %x, %y : !host.tensor<[M, N] x f32, [N, 1]>, !host.tensor<[M, N] x f32, [ys0, ys1]>
  return
}
