// RUN: nereid-opt %s -split-input-file -verify-diagnostics | nereid-opt -split-input-file | FileCheck %s

// CHECK-LABEL: func.func @random(
func.func @random(%s: !graph.tensor<[] x i64>) {
  // CHECK: graph.random uniform %{{.*}} stream <0> : <[] x i64> -> <[M, N] x f32>
  %r = graph.random uniform %s stream <0> : !graph.tensor<[] x i64> -> !graph.tensor<[M, N] x f32>
  // CHECK: graph.random bits %{{.*}} stream <1> : <[] x i64> -> <[M] x ui32>
  %b = graph.random bits %s stream <1> : !graph.tensor<[] x i64> -> !graph.tensor<[M] x ui32>
  return
}

// -----

func.func @seed(%s: !graph.tensor<[] x i32>) {
  // expected-error @+1 {{c1: the seed is a tensor of rank 0 and i64}}
  %r = graph.random uniform %s stream <0> : !graph.tensor<[] x i32> -> !graph.tensor<[M] x f32>
  return
}

// -----

func.func @element(%s: !graph.tensor<[] x i64>) {
  // expected-error @+1 {{c2: normal gives f32, found 'f64'}}
  %r = graph.random normal %s stream <0> : !graph.tensor<[] x i64> -> !graph.tensor<[M] x f64>
  return
}

// -----

func.func @stream(%s: !graph.tensor<[] x i64>) {
  // expected-error @+1 {{c3: stream -1 does not lie within 0 and 2^22}}
  %r = graph.random uniform %s stream <-1> : !graph.tensor<[] x i64> -> !graph.tensor<[M] x f32>
  return
}
