// RUN: nereid-opt %s -split-input-file -verify-diagnostics | nereid-opt -split-input-file | FileCheck %s

// CHECK-LABEL: func.func @sort(
func.func @sort(%a: !graph.tensor<[M, N] x f32>) {
  // CHECK: graph.sort %{{.*}} dim 1 : <[M, N] x f32> -> <[M, N] x f32>, <[M, N] x i64>
  %v, %i = graph.sort %a dim 1 : !graph.tensor<[M, N] x f32> -> !graph.tensor<[M, N] x f32>, !graph.tensor<[M, N] x i64>
  return
}

// CHECK-LABEL: func.func @first(
func.func @first(%a: !graph.tensor<[M, N] x f32>) {
  // CHECK: graph.sort %{{.*}} dim 1 descending : <[M, N] x f32> -> <[M, 8] x f32>, <[M, 8] x i64>
  %v, %i = graph.sort %a dim 1 descending : !graph.tensor<[M, N] x f32> -> !graph.tensor<[M, 8] x f32>, !graph.tensor<[M, 8] x i64>
  return
}

// -----

func.func @axis(%a: !graph.tensor<[M] x f32>) {
  // expected-error @+1 {{c1: axis 1 does not lie within rank 1}}
  %v, %i = graph.sort %a dim 1 : !graph.tensor<[M] x f32> -> !graph.tensor<[M] x f32>, !graph.tensor<[M] x i64>
  return
}

// -----

func.func @different(%a: !graph.tensor<[M] x f32>) {
  // expected-error @+1 {{c2: the results have different sizes}}
  %v, %i = graph.sort %a dim 0 : !graph.tensor<[M] x f32> -> !graph.tensor<[M] x f32>, !graph.tensor<[4] x i64>
  return
}

// -----

func.func @more(%a: !graph.tensor<[M, 4] x f32>) {
  // expected-error @+1 {{c2: axis 1 of the input has size 4, that of the results 5}}
  %v, %i = graph.sort %a dim 1 : !graph.tensor<[M, 4] x f32> -> !graph.tensor<[M, 5] x f32>, !graph.tensor<[M, 5] x i64>
  return
}

// -----

func.func @rank(%a: !graph.tensor<[M, 4] x f32>) {
  // expected-error @+1 {{c2: the results have rank 1, not 2}}
  %v, %i = graph.sort %a dim 1 : !graph.tensor<[M, 4] x f32> -> !graph.tensor<[M] x f32>, !graph.tensor<[M] x i64>
  return
}

// -----

func.func @element(%a: !graph.tensor<[M] x f32>) {
  // expected-error @+1 {{c3: the values are 'f32' and the indices i64, found 'f64' and 'i64'}}
  %v, %i = graph.sort %a dim 0 : !graph.tensor<[M] x f32> -> !graph.tensor<[M] x f64>, !graph.tensor<[M] x i64>
  return
}

// -----

func.func @halves(%a: !graph.tensor<[M] x f16>) {
  // expected-error @+1 {{operand #0 must be tensor of f32, f64, integers or bool}}
  %v, %i = graph.sort %a dim 0 : !graph.tensor<[M] x f16> -> !graph.tensor<[M] x f16>, !graph.tensor<[M] x i64>
  return
}
