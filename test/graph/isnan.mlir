// RUN: nereid-opt %s -split-input-file -verify-diagnostics | nereid-opt -split-input-file | FileCheck %s

// CHECK-LABEL: func.func @isnan(
// CHECK-SAME: %[[X:.*]]: !graph.tensor<[M] x f32>)
func.func @isnan(%x: !graph.tensor<[M] x f32>) -> !graph.tensor<[M] x i1> {
  // CHECK: graph.isnan %[[X]] : <[M] x f32>
  %r = graph.isnan %x : !graph.tensor<[M] x f32>
  return %r : !graph.tensor<[M] x i1>
}

// -----

func.func @isnan_result(%x: !graph.tensor<[M] x f32>) {
  // expected-error @+1 {{c2: the result is bool of the operand's sizes}}
  %r = "graph.isnan"(%x) : (!graph.tensor<[M] x f32>) -> !graph.tensor<[N] x i1>
  return
}
