// RUN: nereid-opt %s -split-input-file -verify-diagnostics | nereid-opt -split-input-file | FileCheck %s

// CHECK-LABEL: func.func @segment(
func.func @segment(%a: !graph.tensor<[K, N] x f32>, %b: !graph.tensor<[M + 1] x i64>) {
  // CHECK: graph.segment sum %{{.*}}[%{{.*}}] : <[K, N] x f32>, <[M + 1] x i64> -> <[M, N] x f32>
  %r = graph.segment sum %a [%b] : !graph.tensor<[K, N] x f32>, !graph.tensor<[M + 1] x i64> -> !graph.tensor<[M, N] x f32>
  return
}

// -----

func.func @bounds(%a: !graph.tensor<[K] x f32>, %b: !graph.tensor<[M] x i64>) {
  // expected-error @+1 {{c1: bounds have one element more than the result has rows}}
  %r = graph.segment sum %a [%b] : !graph.tensor<[K] x f32>, !graph.tensor<[M] x i64> -> !graph.tensor<[M] x f32>
  return
}

// -----

func.func @columns(%a: !graph.tensor<[K, N] x f32>, %b: !graph.tensor<[M + 1] x i64>) {
  // expected-error @+1 {{c2: input and result differ in more than their rows}}
  %r = graph.segment sum %a [%b] : !graph.tensor<[K, N] x f32>, !graph.tensor<[M + 1] x i64> -> !graph.tensor<[M, K] x f32>
  return
}

// -----

func.func @kind(%a: !graph.tensor<[K] x f32>, %b: !graph.tensor<[M + 1] x i64>) {
  // expected-error @+1 {{c3: argmax is not sum, prod, max or min}}
  %r = graph.segment argmax %a [%b] : !graph.tensor<[K] x f32>, !graph.tensor<[M + 1] x i64> -> !graph.tensor<[M] x f32>
  return
}
