// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: nereid-opt %s -split-input-file -verify-diagnostics | nereid-opt -split-input-file | FileCheck %s

// CHECK-LABEL: @f
func.func @f(%v: f64) {
  // CHECK: host.full %{{.*}} : f64 -> !host.tensor<[M, N] x f32, [N, 1]>
  %0 = host.full %v : f64 -> !host.tensor<[M, N] x f32, [N, 1]>
  return
}
