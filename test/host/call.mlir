// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: nereid-opt %s -split-input-file -verify-diagnostics | nereid-opt -split-input-file | FileCheck %s

// CHECK-LABEL: @f
func.func @f(%x: !host.tensor<[M, K] x f32, [K, 1]>, %n: i64) {
  // CHECK: host.call "torch.roll" ["{0}", "{1:n}"](%{{.*}}, %{{.*}}) : (!host.tensor<[M, K] x f32, [K, 1]>, i64) -> !host.tensor<[M, K] x f32, [K, 1]>
  %0 = host.call "torch.roll" ["{0}", "{1:n}"] (%x, %n) : (!host.tensor<[M, K] x f32, [K, 1]>, i64) -> !host.tensor<[M, K] x f32, [K, 1]>
  return
}

// -----

// CHECK-LABEL: @product
func.func @product(%a: !host.tensor<[M, K] x f32, [K, 1]>, %b: !host.tensor<[K, N] x f32, [N, 1]>) {
  // CHECK: host.call "torch.matmul"
  %r = host.call "torch.matmul" ["{0}", "{1}"] (%a, %b) : (!host.tensor<[M, K] x f32, [K, 1]>, !host.tensor<[K, N] x f32, [N, 1]>) -> !host.tensor<[M, N] x f32, [N, 1]>
  return
}

// -----

func.func @number(%x: !host.tensor<[M] x f32, [1]>, %n: i64) {
  // expected-error @+1 {{c1: "{1}" has a place that is no such input's}}
  %0 = host.call "torch.roll" ["{0}", "{1}"] (%x, %n) : (!host.tensor<[M] x f32, [1]>, i64) -> !host.tensor<[M] x f32, [1]>
  return
}

// -----

func.func @strides(%x: !host.tensor<[M] x f32, [1]>) {
  // expected-error @+1 {{c2: the result '!host.tensor<[M] x f32, [2]>' is not row-major}}
  %0 = host.call "torch.relu" ["{0}"] (%x) : (!host.tensor<[M] x f32, [1]>) -> !host.tensor<[M] x f32, [2]>
  return
}

// -----

func.func @gradient(%x: !host.tensor<[M] x f32, [1]>) {
  // expected-error @+1 {{c3: cotangents or gradients are not as many as are named}}
  %0 = host.call "torch.relu" ["{0}"] (%x) gradient (%x) of [0] to [0, 0] : (!host.tensor<[M] x f32, [1]>, !host.tensor<[M] x f32, [1]>) -> !host.tensor<[M] x f32, [1]>
  return
}
