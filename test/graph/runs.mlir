// RUN: nereid-opt %s -split-input-file -verify-diagnostics | nereid-opt -split-input-file | FileCheck %s

// CHECK-LABEL: func.func @runs(
func.func @runs(%a: !graph.tensor<[K, N] x f32>, %s: !graph.tensor<[M] x i64>, %t: !graph.tensor<[M] x i64>) {
  // CHECK: graph.runs sum %{{.*}}[%{{.*}}, %{{.*}}] : <[K, N] x f32>, <[M] x i64> -> <[M, N] x f32>
  %r = graph.runs sum %a [%s, %t] : !graph.tensor<[K, N] x f32>, !graph.tensor<[M] x i64> -> !graph.tensor<[M, N] x f32>
  return
}

// -----

func.func @starts(%a: !graph.tensor<[K] x f32>, %s: !graph.tensor<[M + 1] x i64>) {
  // expected-error @+1 {{c1: starts have an element for each row of the result}}
  %r = graph.runs sum %a [%s, %s] : !graph.tensor<[K] x f32>, !graph.tensor<[M + 1] x i64> -> !graph.tensor<[M] x f32>
  return
}

// -----

func.func @columns(%a: !graph.tensor<[K, N] x f32>, %s: !graph.tensor<[M] x i64>) {
  // expected-error @+1 {{c2: input and result differ in more than their rows}}
  %r = graph.runs max %a [%s, %s] : !graph.tensor<[K, N] x f32>, !graph.tensor<[M] x i64> -> !graph.tensor<[M, K] x f32>
  return
}

// -----

func.func @kind(%a: !graph.tensor<[K] x f32>, %s: !graph.tensor<[M] x i64>) {
  // expected-error @+1 {{c3: argmin is not sum, prod, max or min}}
  %r = graph.runs argmin %a [%s, %s] : !graph.tensor<[K] x f32>, !graph.tensor<[M] x i64> -> !graph.tensor<[M] x f32>
  return
}
