// RUN: nereid-opt %s -split-input-file -verify-diagnostics | nereid-opt -split-input-file | FileCheck %s

// CHECK-LABEL: func.func @reshape(
func.func @reshape(%a: !graph.tensor<[M, 4*N] x f32>) {
  // CHECK: graph.reshape %{{.*}} : <[M, 4*N] x f32> -> <[M, N, 4] x f32>
  %r = graph.reshape %a : !graph.tensor<[M, 4*N] x f32> -> !graph.tensor<[M, N, 4] x f32>
  return
}

// -----

func.func @element(%a: !graph.tensor<[M] x f32>) {
  // expected-error @+1 {{c1: element types differ}}
  %r = graph.reshape %a : !graph.tensor<[M] x f32> -> !graph.tensor<[M] x i32>
  return
}

// -----

func.func @elements(%a: !graph.tensor<[M] x f32>) {
  // expected-error @+1 {{c2: the numbers of elements differ}}
  %r = graph.reshape %a : !graph.tensor<[M] x f32> -> !graph.tensor<[M + 1] x f32>
  return
}
