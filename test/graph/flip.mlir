// RUN: nereid-opt %s -split-input-file -verify-diagnostics | nereid-opt -split-input-file | FileCheck %s

// CHECK-LABEL: func.func @flip(
func.func @flip(%a: !graph.tensor<[M, N] x f32>) {
  // CHECK: graph.flip %{{.*}} [1] : <[M, N] x f32>
  %r = graph.flip %a [1] : !graph.tensor<[M, N] x f32>
  return
}

// -----

func.func @twice(%a: !graph.tensor<[M, N] x f32>) {
  // expected-error @+1 {{c1: axes must be distinct and lie within rank 2}}
  %r = graph.flip %a [1, 1] : !graph.tensor<[M, N] x f32>
  return
}
