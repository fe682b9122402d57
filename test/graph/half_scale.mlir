// RUN: nereid-opt %s -split-input-file -verify-diagnostics | nereid-opt -split-input-file | FileCheck %s

// CHECK-LABEL: func.func @half_scale(
// CHECK-SAME: %[[X:.*]]: !graph.tensor<[M] x f32>)
func.func @half_scale(%x: !graph.tensor<[M] x f32>) -> !graph.tensor<[M] x f32> {
  // CHECK: graph.half_scale %[[X]] : <[M] x f32>
  %r = graph.half_scale %x : !graph.tensor<[M] x f32>
  return %r : !graph.tensor<[M] x f32>
}

// -----

func.func @half_scale_of_wrong_elements(%x: !graph.tensor<[M] x i32>) {
  // expected-error @+1 {{operand #0 must be tensor of f32 or f64}}
  %r = graph.half_scale %x : !graph.tensor<[M] x i32>
  return
}
