// RUN: nereid-opt %s -split-input-file -verify-diagnostics | nereid-opt -split-input-file | FileCheck %s

// CHECK-LABEL: func.func @transpose(
func.func @transpose(%a: !graph.tensor<[M, N] x f32>) {
  // CHECK: graph.transpose %{{.*}} [1, 0] : <[M, N] x f32> -> <[N, M] x f32>
  %r = graph.transpose %a [1, 0] : !graph.tensor<[M, N] x f32> -> !graph.tensor<[N, M] x f32>
  return
}

// -----

func.func @twice(%a: !graph.tensor<[M, N] x f32>) {
  // expected-error @+1 {{c1:}}
  %r = graph.transpose %a [1, 1] : !graph.tensor<[M, N] x f32> -> !graph.tensor<[N, M] x f32>
  return
}

// -----

func.func @sizes(%a: !graph.tensor<[M, N] x f32>) {
  // expected-error @+1 {{c2: axis 0 of the result is axis 1 of the input}}
  %r = graph.transpose %a [1, 0] : !graph.tensor<[M, N] x f32> -> !graph.tensor<[M, N] x f32>
  return
}
