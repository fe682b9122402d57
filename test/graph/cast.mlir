// RUN: nereid-opt %s -split-input-file -verify-diagnostics | nereid-opt -split-input-file | FileCheck %s

// CHECK-LABEL: func.func @cast(
func.func @cast(%a: !graph.tensor<[M] x f16>) {
  // CHECK: graph.cast %{{.*}} : <[M] x f16> -> <[M] x f32>
  %r = graph.cast %a : !graph.tensor<[M] x f16> -> !graph.tensor<[M] x f32>
  return
}

// -----

// CHECK-LABEL: func.func @implied(
func.func @implied(%a: !graph.tensor<[M] x f32>) {
  // CHECK: graph.cast %{{.*}} {elidable} : <[M] x f32> -> <[M] x bf16>
  %r = graph.cast %a {elidable} : !graph.tensor<[M] x f32> -> !graph.tensor<[M] x bf16>
  return
}

// -----

func.func @sizes(%a: !graph.tensor<[M] x f32>) {
  // expected-error @+1 {{c1: the sizes of input and result differ}}
  %r = graph.cast %a : !graph.tensor<[M] x f32> -> !graph.tensor<[N] x f16>
  return
}
