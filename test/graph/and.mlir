// RUN: nereid-opt %s -split-input-file -verify-diagnostics | nereid-opt -split-input-file | FileCheck %s

// CHECK-LABEL: func.func @and(
// CHECK-SAME: %[[X:.*]]: {{.*}}, %[[Y:.*]]: !graph.tensor<[M, 4*D] x i32>)
func.func @and(%x: !graph.tensor<[M, 4*D] x i32>, %y: !graph.tensor<[M, 4*D] x i32>) -> !graph.tensor<[M, 4*D] x i32> {
  // CHECK: graph.and %[[X]], %[[Y]] : <[M, 4*D] x i32>
  %r = graph.and %x, %y : !graph.tensor<[M, 4*D] x i32>
  return %r : !graph.tensor<[M, 4*D] x i32>
}

// -----

func.func @and_of_wrong_elements(%x: !graph.tensor<[M, 4*D] x f32>, %y: !graph.tensor<[M, 4*D] x f32>) {
  // expected-error @+1 {{operand #0 must be tensor of integers or bool}}
  %r = graph.and %x, %y : !graph.tensor<[M, 4*D] x f32>
  return
}

// -----

func.func @and_of_unequal_sizes(%x: !graph.tensor<[M] x i32>, %y: !graph.tensor<[N] x i32>) {
  // expected-error @+1 {{requires the same type for all operands and results}}
  %r = "graph.and"(%x, %y) : (!graph.tensor<[M] x i32>, !graph.tensor<[N] x i32>) -> !graph.tensor<[M] x i32>
  return
}
