// RUN: nereid-opt %s -split-input-file -verify-diagnostics | nereid-opt -split-input-file | FileCheck %s

// CHECK-LABEL: func.func @iota(
func.func @iota() {
  // CHECK: graph.iota 1 -> <[M, N] x i64>
  %r = graph.iota 1 -> !graph.tensor<[M, N] x i64>
  return
}

// -----

func.func @axis() {
  // expected-error @+1 {{c1: axis 2 does not lie within rank 2}}
  %r = graph.iota 2 -> !graph.tensor<[M, N] x i64>
  return
}

// -----

func.func @element() {
  // expected-error @+1 {{result #0 must be tensor of integers or bool}}
  %r = graph.iota 0 -> !graph.tensor<[M] x f32>
  return
}
