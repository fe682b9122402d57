// RUN: nereid-opt %s -split-input-file -verify-diagnostics | nereid-opt -split-input-file | FileCheck %s

// CHECK-LABEL: func.func @constant(
func.func @constant() {
  // CHECK: graph.constant 2.000000e+00 : f64 -> <[] x f32>
  %r = graph.constant 2.0 : f64 -> !graph.tensor<[] x f32>
  return
}

// -----

// CHECK-LABEL: func.func @integer(
func.func @integer() {
  // CHECK: graph.constant 3 : i64 -> <[] x ui8>
  %r = graph.constant 3 : i64 -> !graph.tensor<[] x ui8>
  return
}

// -----

func.func @rank() {
  // expected-error @+1 {{c1: the result has rank 1, not 0}}
  %r = graph.constant 2.0 : f64 -> !graph.tensor<[M] x f32>
  return
}

// -----

func.func @element() {
  // expected-error @+1 {{c2: 2.000000e+00 : f64 does not fit 'i32'}}
  %r = graph.constant 2.0 : f64 -> !graph.tensor<[] x i32>
  return
}
