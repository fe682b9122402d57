// RUN: nereid-opt %s -split-input-file -verify-diagnostics | nereid-opt -split-input-file | FileCheck %s

// CHECK-LABEL: func.func @remainder(
// CHECK-SAME: %[[X:.*]]: {{.*}}, %[[Y:.*]]: !graph.tensor<[M, 4*D] x f32>)
func.func @remainder(%x: !graph.tensor<[M, 4*D] x f32>, %y: !graph.tensor<[M, 4*D] x f32>) -> !graph.tensor<[M, 4*D] x f32> {
  // CHECK: graph.remainder %[[X]], %[[Y]] : <[M, 4*D] x f32>
  %r = graph.remainder %x, %y : !graph.tensor<[M, 4*D] x f32>
  return %r : !graph.tensor<[M, 4*D] x f32>
}

// -----

func.func @remainder_of_wrong_elements(%x: !graph.tensor<[M, 4*D] x f16>, %y: !graph.tensor<[M, 4*D] x f16>) {
  // expected-error @+1 {{operand #0 must be tensor of f32, f64, integers or bool}}
  %r = graph.remainder %x, %y : !graph.tensor<[M, 4*D] x f16>
  return
}

// -----

func.func @remainder_of_unequal_sizes(%x: !graph.tensor<[M] x f32>, %y: !graph.tensor<[N] x f32>) {
  // expected-error @+1 {{requires the same type for all operands and results}}
  %r = "graph.remainder"(%x, %y) : (!graph.tensor<[M] x f32>, !graph.tensor<[N] x f32>) -> !graph.tensor<[M] x f32>
  return
}
