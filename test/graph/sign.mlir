// RUN: nereid-opt %s -split-input-file -verify-diagnostics | nereid-opt -split-input-file | FileCheck %s

// CHECK-LABEL: func.func @sign(
// CHECK-SAME: %[[X:.*]]: !graph.tensor<[M, 4*D] x f32>)
func.func @sign(%x: !graph.tensor<[M, 4*D] x f32>) -> !graph.tensor<[M, 4*D] x f32> {
  // CHECK: graph.sign %[[X]] : <[M, 4*D] x f32>
  %r = graph.sign %x : !graph.tensor<[M, 4*D] x f32>
  return %r : !graph.tensor<[M, 4*D] x f32>
}

// -----

func.func @sign_of_wrong_elements(%x: !graph.tensor<[M, 4*D] x f16>) {
  // expected-error @+1 {{operand #0 must be tensor of f32, f64, integers or bool}}
  %r = graph.sign %x : !graph.tensor<[M, 4*D] x f16>
  return
}
