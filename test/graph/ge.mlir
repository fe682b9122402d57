// RUN: nereid-opt %s -split-input-file -verify-diagnostics | nereid-opt -split-input-file | FileCheck %s

// CHECK-LABEL: func.func @ge(
// CHECK-SAME: %[[X:.*]]: !graph.tensor<[M] x f32>, %[[Y:.*]]: !graph.tensor<[M] x f32>)
func.func @ge(%x: !graph.tensor<[M] x f32>, %y: !graph.tensor<[M] x f32>) -> !graph.tensor<[M] x i1> {
  // CHECK: graph.ge %[[X]], %[[Y]] : <[M] x f32>
  %r = graph.ge %x, %y : !graph.tensor<[M] x f32>
  return %r : !graph.tensor<[M] x i1>
}

// -----

func.func @ge_result(%x: !graph.tensor<[M] x f32>, %y: !graph.tensor<[M] x f32>) {
  // expected-error @+1 {{c2: the result is bool of the operands' sizes}}
  %r = "graph.ge"(%x, %y) : (!graph.tensor<[M] x f32>, !graph.tensor<[M] x f32>) -> !graph.tensor<[N] x i1>
  return
}

// -----

func.func @ge_operands(%x: !graph.tensor<[M] x f32>, %y: !graph.tensor<[M] x f64>) {
  // expected-error @+1 {{failed to verify that all of {lhs, rhs} have same type}}
  %r = "graph.ge"(%x, %y) : (!graph.tensor<[M] x f32>, !graph.tensor<[M] x f64>) -> !graph.tensor<[M] x i1>
  return
}
