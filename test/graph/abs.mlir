// RUN: nereid-opt %s -split-input-file -verify-diagnostics | nereid-opt -split-input-file | FileCheck %s

// CHECK-LABEL: func.func @abs(
// CHECK-SAME: %[[X:.*]]: !graph.tensor<[M, 4*D] x f32>)
func.func @abs(%x: !graph.tensor<[M, 4*D] x f32>) -> !graph.tensor<[M, 4*D] x f32> {
  // CHECK: graph.abs %[[X]] : <[M, 4*D] x f32>
  %r = graph.abs %x : !graph.tensor<[M, 4*D] x f32>
  return %r : !graph.tensor<[M, 4*D] x f32>
}

// -----

func.func @abs_of_wrong_elements(%x: !graph.tensor<[M, 4*D] x f16>) {
  // expected-error @+1 {{operand #0 must be tensor of f32, f64, integers or bool}}
  %r = graph.abs %x : !graph.tensor<[M, 4*D] x f16>
  return
}
