// RUN: nereid-opt %s -split-input-file -verify-diagnostics | nereid-opt -split-input-file | FileCheck %s

// CHECK-LABEL: func.func @window(
func.func @window(%a: !graph.tensor<[M, 2*N + 4] x f32>) {
  // CHECK: graph.window %{{.*}} dim 1 step 2 : <[M, 2*N + 4] x f32> -> <[M, N, 6] x f32>
  %r = graph.window %a dim 1 step 2 : !graph.tensor<[M, 2*N + 4] x f32> -> !graph.tensor<[M, N, 6] x f32>
  return
}

// -----

func.func @step(%a: !graph.tensor<[N] x f32>) {
  // expected-error @+1 {{c1: the step is 0, not at least 1}}
  %r = graph.window %a dim 0 step 0 : !graph.tensor<[N] x f32> -> !graph.tensor<[N, 1] x f32>
  return
}

// -----

func.func @axes(%a: !graph.tensor<[N] x f32>) {
  // expected-error @+1 {{c2: axis 0 of '!graph.tensor<[N] x f32>' does not become two in '!graph.tensor<[N] x f32>'}}
  %r = graph.window %a dim 0 step 1 : !graph.tensor<[N] x f32> -> !graph.tensor<[N] x f32>
  return
}

// -----

func.func @sizes(%a: !graph.tensor<[M, N] x f32>) {
  // expected-error @+1 {{c2: sizes differ along axis 0}}
  %r = graph.window %a dim 1 step 1 : !graph.tensor<[M, N] x f32> -> !graph.tensor<[N, N - 1, 2] x f32>
  return
}

// -----

func.func @elements(%a: !graph.tensor<[N] x f32>) {
  // expected-error @+1 {{c2: element types differ: 'f32' and 'f64'}}
  %r = graph.window %a dim 0 step 1 : !graph.tensor<[N] x f32> -> !graph.tensor<[N - 1, 2] x f64>
  return
}
