// RUN: nereid-opt %s -split-input-file -verify-diagnostics | nereid-opt -split-input-file | FileCheck %s

// CHECK-LABEL: func.func @le(
// CHECK-SAME: %[[X:.*]]: !graph.tensor<[M] x f32>, %[[Y:.*]]: !graph.tensor<[M] x f32>)
func.func @le(%x: !graph.tensor<[M] x f32>, %y: !graph.tensor<[M] x f32>) -> !graph.tensor<[M] x i1> {
  // CHECK: graph.le %[[X]], %[[Y]] : <[M] x f32>
  %r = graph.le %x, %y : !graph.tensor<[M] x f32>
  return %r : !graph.tensor<[M] x i1>
}

// -----

func.func @le_result(%x: !graph.tensor<[M] x f32>, %y: !graph.tensor<[M] x f32>) {
  // expected-error @+1 {{c2: the result is bool of the operands' sizes}}
  %r = "graph.le"(%x, %y) : (!graph.tensor<[M] x f32>, !graph.tensor<[M] x f32>) -> !graph.tensor<[N] x i1>
  return
}

// -----

func.func @le_operands(%x: !graph.tensor<[M] x f32>, %y: !graph.tensor<[M] x f64>) {
  // expected-error @+1 {{failed to verify that all of {lhs, rhs} have same type}}
  %r = "graph.le"(%x, %y) : (!graph.tensor<[M] x f32>, !graph.tensor<[M] x f64>) -> !graph.tensor<[M] x i1>
  return
}
