// RUN: nereid-opt %s -split-input-file -verify-diagnostics | nereid-opt -split-input-file | FileCheck %s

// CHECK-LABEL: func.func @order(
func.func @order(%a: !graph.tensor<[M] x f32>) {
  // CHECK: graph.order %{{.*}} : <[M] x f32> -> <[M] x i32>
  %r = graph.order %a : !graph.tensor<[M] x f32> -> !graph.tensor<[M] x i32>
  return
}

// -----

func.func @sizes(%a: !graph.tensor<[M] x f32>) {
  // expected-error @+1 {{c1: the sizes of input and result differ}}
  %r = graph.order %a : !graph.tensor<[M] x f32> -> !graph.tensor<[N] x i32>
  return
}

// -----

func.func @element(%a: !graph.tensor<[M] x f64>) {
  // expected-error @+1 {{c2: the result is i64, found 'i32'}}
  %r = graph.order %a : !graph.tensor<[M] x f64> -> !graph.tensor<[M] x i32>
  return
}
