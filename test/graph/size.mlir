// RUN: nereid-opt %s -split-input-file -verify-diagnostics | nereid-opt -split-input-file | FileCheck %s

// CHECK-LABEL: func.func @size(
func.func @size() {
  // CHECK: graph.size <4*M> -> <[] x i64>
  %r = graph.size <4*M> -> !graph.tensor<[] x i64>
  return
}

// -----

func.func @element() {
  // expected-error @+1 {{c1: the result is a tensor of rank 0 and i64}}
  %r = graph.size <M> -> !graph.tensor<[] x i32>
  return
}
