// RUN: nereid-opt %s -split-input-file -verify-diagnostics | nereid-opt -split-input-file | FileCheck %s

// CHECK-LABEL: func.func @concat(
func.func @concat(%a: !graph.tensor<[M, N] x f32>, %b: !graph.tensor<[M, 4] x f32>) {
  // CHECK: graph.concat %{{.*}}, %{{.*}} dim 1 : !graph.tensor<[M, N] x f32>, !graph.tensor<[M, 4] x f32> -> <[M, N + 4] x f32>
  %r = graph.concat %a, %b dim 1 : !graph.tensor<[M, N] x f32>, !graph.tensor<[M, 4] x f32> -> !graph.tensor<[M, N + 4] x f32>
  return
}

// -----

func.func @none() {
  // expected-error @+1 {{c1: there is no input}}
  %r = "graph.concat"() {dim = 0 : i64} : () -> !graph.tensor<[M] x f32>
  return
}

// -----

func.func @sum(%a: !graph.tensor<[M] x f32>, %b: !graph.tensor<[N] x f32>) {
  // expected-error @+1 {{c2: the sizes along axis 0 add up to M + N, not M}}
  %r = graph.concat %a, %b dim 0 : !graph.tensor<[M] x f32>, !graph.tensor<[N] x f32> -> !graph.tensor<[M] x f32>
  return
}
