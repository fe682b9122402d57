// RUN: nereid-opt %s -split-input-file -verify-diagnostics | nereid-opt -split-input-file | FileCheck %s

// CHECK-LABEL: func.func @slice(
func.func @slice(%a: !graph.tensor<[M, 2*N] x f32>) {
  // CHECK: graph.slice %{{.*}} dim 1 start <N> step 1 : <[M, 2*N] x f32> -> <[M, N] x f32>
  %r = graph.slice %a dim 1 start <N> step 1 : !graph.tensor<[M, 2*N] x f32> -> !graph.tensor<[M, N] x f32>
  return
}

// -----

func.func @step(%a: !graph.tensor<[M] x f32>) {
  // expected-error @+1 {{c1: step 0 is less than 1}}
  %r = graph.slice %a dim 0 start <0> step 0 : !graph.tensor<[M] x f32> -> !graph.tensor<[M] x f32>
  return
}

// -----

func.func @sizes(%a: !graph.tensor<[M, N] x f32>) {
  // expected-error @+1 {{c2: sizes differ along axis 0}}
  %r = graph.slice %a dim 1 start <0> step 1 : !graph.tensor<[M, N] x f32> -> !graph.tensor<[N, N] x f32>
  return
}
