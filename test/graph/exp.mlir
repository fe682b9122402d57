// RUN: nereid-opt %s -split-input-file -verify-diagnostics | nereid-opt -split-input-file | FileCheck %s

// CHECK-LABEL: func.func @exp(
// CHECK-SAME: %[[X:.*]]: !graph.tensor<[M, 4*D] x f32>)
func.func @exp(%x: !graph.tensor<[M, 4*D] x f32>) -> !graph.tensor<[M, 4*D] x f32> {
  // CHECK: graph.exp %[[X]] : <[M, 4*D] x f32>
  %r = graph.exp %x : !graph.tensor<[M, 4*D] x f32>
  return %r : !graph.tensor<[M, 4*D] x f32>
}

// -----

func.func @exp_of_wrong_elements(%x: !graph.tensor<[M, 4*D] x i32>) {
  // expected-error @+1 {{operand #0 must be tensor of f32 or f64}}
  %r = graph.exp %x : !graph.tensor<[M, 4*D] x i32>
  return
}
