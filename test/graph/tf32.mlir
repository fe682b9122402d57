// RUN: nereid-opt %s -split-input-file -verify-diagnostics | nereid-opt -split-input-file | FileCheck %s

// CHECK-LABEL: func.func @tf32(
// CHECK-SAME: %[[X:.*]]: !graph.tensor<[M, 4*D] x f32>)
func.func @tf32(%x: !graph.tensor<[M, 4*D] x f32>) -> !graph.tensor<[M, 4*D] x f32> {
  // CHECK: graph.tf32 %[[X]] : <[M, 4*D] x f32>
  %r = graph.tf32 %x : !graph.tensor<[M, 4*D] x f32>
  return %r : !graph.tensor<[M, 4*D] x f32>
}

// -----

func.func @tf32_of_wrong_elements(%x: !graph.tensor<[M, 4*D] x i32>) {
  // expected-error @+1 {{operand #0 must be tensor of f32 or f64}}
  %r = graph.tf32 %x : !graph.tensor<[M, 4*D] x i32>
  return
}
