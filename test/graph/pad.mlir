// RUN: nereid-opt %s -split-input-file -verify-diagnostics | nereid-opt -split-input-file | FileCheck %s

// CHECK-LABEL: func.func @pad(
func.func @pad(%a: !graph.tensor<[M] x f32>, %b: !graph.tensor<[] x f32>) {
  // CHECK: graph.pad %{{.*}}, %{{.*}} dim 0 low <2> : <[M] x f32>, <[] x f32> -> <[M + 3] x f32>
  %r = graph.pad %a, %b dim 0 low <2> : !graph.tensor<[M] x f32>, !graph.tensor<[] x f32> -> !graph.tensor<[M + 3] x f32>
  return
}

// -----

func.func @value(%a: !graph.tensor<[M] x f32>, %b: !graph.tensor<[1] x f32>) {
  // expected-error @+1 {{c1: the value has rank 1, not 0}}
  %r = graph.pad %a, %b dim 0 low <2> : !graph.tensor<[M] x f32>, !graph.tensor<[1] x f32> -> !graph.tensor<[M + 3] x f32>
  return
}

// -----

func.func @sizes(%a: !graph.tensor<[M, N] x f32>, %b: !graph.tensor<[] x f32>) {
  // expected-error @+1 {{c2: sizes differ along axis 1}}
  %r = graph.pad %a, %b dim 0 low <2> : !graph.tensor<[M, N] x f32>, !graph.tensor<[] x f32> -> !graph.tensor<[M, N + 1] x f32>
  return
}
