// RUN: nereid-opt %s -split-input-file -verify-diagnostics | nereid-opt -split-input-file | FileCheck %s

// CHECK-LABEL: func.func @number(
func.func @number() {
  // CHECK: graph.number "self.norm.eps" named "norm_eps" value 1.000000e-05 -> <[] x f64>
  %r = graph.number "self.norm.eps" named "norm_eps" value 1.0e-05 -> !graph.tensor<[] x f64>
  return
}

// -----

func.func @element() {
  // expected-error @+1 {{c1: the result is a tensor of rank 0 and f64 or f32}}
  %r = graph.number "self.p" named "p" value 0.25 -> !graph.tensor<[1] x f32>
  return
}
