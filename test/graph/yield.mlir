// RUN: nereid-opt %s -split-input-file -verify-diagnostics | nereid-opt -split-input-file | FileCheck %s

// CHECK-LABEL: func.func @yield(
func.func @yield(%x: !graph.tensor<[M] x f32>) {
  %r:2 = graph.composite "aten::two"(%x) : (!graph.tensor<[M] x f32>) -> (!graph.tensor<[M] x f32>, !graph.tensor<[M] x f32>) {
  ^bb0(%a: !graph.tensor<[M] x f32>):
    // CHECK: graph.yield %[[A:.*]], %[[A]] : !graph.tensor<[M] x f32>, !graph.tensor<[M] x f32>
    graph.yield %a, %a : !graph.tensor<[M] x f32>, !graph.tensor<[M] x f32>
  }
  return
}

// -----

func.func @outside(%x: !graph.tensor<[M] x f32>) {
  // expected-error @+1 {{expects parent op to be one of 'graph.composite, graph.loop'}}
  graph.yield %x : !graph.tensor<[M] x f32>
}
