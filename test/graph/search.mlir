// RUN: nereid-opt %s -split-input-file -verify-diagnostics | nereid-opt -split-input-file | FileCheck %s

// CHECK-LABEL: func.func @search(
func.func @search(%k: !graph.tensor<[M, K] x f32>, %v: !graph.tensor<[M, N] x f32>) {
  // CHECK: graph.search %{{.*}}, %{{.*}} right : <[M, K] x f32>, <[M, N] x f32> -> <[M, N] x i64>
  %r = graph.search %k, %v right : !graph.tensor<[M, K] x f32>, !graph.tensor<[M, N] x f32> -> !graph.tensor<[M, N] x i64>
  return
}

// -----

func.func @lines(%k: !graph.tensor<[M, K] x f32>, %v: !graph.tensor<[N, N] x f32>) {
  // expected-error @+1 {{c1: keys and values differ before their last axis}}
  %r = graph.search %k, %v : !graph.tensor<[M, K] x f32>, !graph.tensor<[N, N] x f32> -> !graph.tensor<[N, N] x i64>
  return
}

// -----

func.func @elements(%k: !graph.tensor<[K] x f32>, %v: !graph.tensor<[N] x f64>) {
  // expected-error @+1 {{c2: element types differ: 'f32' and 'f64'}}
  %r = graph.search %k, %v : !graph.tensor<[K] x f32>, !graph.tensor<[N] x f64> -> !graph.tensor<[N] x i64>
  return
}

// -----

func.func @result(%k: !graph.tensor<[K] x f32>, %v: !graph.tensor<[N] x f32>) {
  // expected-error @+1 {{c3: the result is i64 and has the sizes of the values}}
  %r = graph.search %k, %v : !graph.tensor<[K] x f32>, !graph.tensor<[N] x f32> -> !graph.tensor<[N] x i32>
  return
}
