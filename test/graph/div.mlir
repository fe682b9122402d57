// RUN: nereid-opt %s -split-input-file -verify-diagnostics | nereid-opt -split-input-file | FileCheck %s

// CHECK-LABEL: func.func @div(
// CHECK-SAME: %[[X:.*]]: {{.*}}, %[[Y:.*]]: !graph.tensor<[M, 4*D] x f32>)
func.func @div(%x: !graph.tensor<[M, 4*D] x f32>, %y: !graph.tensor<[M, 4*D] x f32>) -> !graph.tensor<[M, 4*D] x f32> {
  // CHECK: graph.div %[[X]], %[[Y]] : <[M, 4*D] x f32>
  %r = graph.div %x, %y : !graph.tensor<[M, 4*D] x f32>
  return %r : !graph.tensor<[M, 4*D] x f32>
}

// -----

func.func @div_of_wrong_elements(%x: !graph.tensor<[M, 4*D] x i32>, %y: !graph.tensor<[M, 4*D] x i32>) {
  // expected-error @+1 {{operand #0 must be tensor of f32 or f64}}
  %r = graph.div %x, %y : !graph.tensor<[M, 4*D] x i32>
  return
}

// -----

func.func @div_of_unequal_sizes(%x: !graph.tensor<[M] x f32>, %y: !graph.tensor<[N] x f32>) {
  // expected-error @+1 {{requires the same type for all operands and results}}
  %r = "graph.div"(%x, %y) : (!graph.tensor<[M] x f32>, !graph.tensor<[N] x f32>) -> !graph.tensor<[M] x f32>
  return
}
