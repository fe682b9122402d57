// RUN: nereid-opt %s -split-input-file -verify-diagnostics | nereid-opt -split-input-file | FileCheck %s

// CHECK-LABEL: func.func @gather(
func.func @gather(%a: !graph.tensor<[M, N] x f32>, %b: !graph.tensor<[M, K] x i64>) {
  // CHECK: graph.gather %{{.*}}[%{{.*}}] dim 1 : <[M, N] x f32>, <[M, K] x i64> -> <[M, K] x f32>
  %r = graph.gather %a [%b] dim 1 : !graph.tensor<[M, N] x f32>, !graph.tensor<[M, K] x i64> -> !graph.tensor<[M, K] x f32>
  return
}

// -----

func.func @indices(%a: !graph.tensor<[M, N] x f32>, %b: !graph.tensor<[M, K] x i64>) {
  // expected-error @+1 {{c1: the indices have other sizes than the result}}
  %r = graph.gather %a [%b] dim 1 : !graph.tensor<[M, N] x f32>, !graph.tensor<[M, K] x i64> -> !graph.tensor<[M, N] x f32>
  return
}

// -----

func.func @sizes(%a: !graph.tensor<[M, N] x f32>, %b: !graph.tensor<[K, K] x i64>) {
  // expected-error @+1 {{c2: sizes differ along axis 0}}
  %r = graph.gather %a [%b] dim 1 : !graph.tensor<[M, N] x f32>, !graph.tensor<[K, K] x i64> -> !graph.tensor<[K, K] x f32>
  return
}
