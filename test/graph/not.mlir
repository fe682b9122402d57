// RUN: nereid-opt %s -split-input-file -verify-diagnostics | nereid-opt -split-input-file | FileCheck %s

// CHECK-LABEL: func.func @not(
// CHECK-SAME: %[[X:.*]]: !graph.tensor<[M, 4*D] x i32>)
func.func @not(%x: !graph.tensor<[M, 4*D] x i32>) -> !graph.tensor<[M, 4*D] x i32> {
  // CHECK: graph.not %[[X]] : <[M, 4*D] x i32>
  %r = graph.not %x : !graph.tensor<[M, 4*D] x i32>
  return %r : !graph.tensor<[M, 4*D] x i32>
}

// -----

func.func @not_of_wrong_elements(%x: !graph.tensor<[M, 4*D] x f32>) {
  // expected-error @+1 {{operand #0 must be tensor of integers or bool}}
  %r = graph.not %x : !graph.tensor<[M, 4*D] x f32>
  return
}
