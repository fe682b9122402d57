// RUN: nereid-opt %s -split-input-file -verify-diagnostics | nereid-opt -split-input-file | FileCheck %s

// CHECK-LABEL: func.func @scatter(
func.func @scatter(%u: !graph.tensor<[M, K] x f32>, %i: !graph.tensor<[M, K] x i64>) {
  // CHECK: graph.scatter sum %{{.*}}[%{{.*}}] dim 1 : <[M, K] x f32>, <[M, K] x i64> -> <[M, N] x f32>
  %r = graph.scatter sum %u [%i] dim 1 : !graph.tensor<[M, K] x f32>, !graph.tensor<[M, K] x i64> -> !graph.tensor<[M, N] x f32>
  return
}

// -----

func.func @indices(%u: !graph.tensor<[M, K] x f32>, %i: !graph.tensor<[K, K] x i64>) {
  // expected-error @+1 {{c1: the indices have other sizes than the updates}}
  %r = graph.scatter sum %u [%i] dim 1 : !graph.tensor<[M, K] x f32>, !graph.tensor<[K, K] x i64> -> !graph.tensor<[M, N] x f32>
  return
}

// -----

func.func @sizes(%u: !graph.tensor<[M, K] x f32>, %i: !graph.tensor<[M, K] x i64>) {
  // expected-error @+1 {{c2: sizes differ along axis 0}}
  %r = graph.scatter sum %u [%i] dim 1 : !graph.tensor<[M, K] x f32>, !graph.tensor<[M, K] x i64> -> !graph.tensor<[N, N] x f32>
  return
}

// -----

func.func @halves(%u: !graph.tensor<[M, K] x f16>, %i: !graph.tensor<[M, K] x i64>) {
  // expected-error @+1 {{result #0 must be tensor of f32, f64, integers or bool}}
  %r = graph.scatter sum %u [%i] dim 1 : !graph.tensor<[M, K] x f16>, !graph.tensor<[M, K] x i64> -> !graph.tensor<[M, N] x f16>
  return
}

// -----

// CHECK-LABEL: func.func @places(
func.func @places(%u: !graph.tensor<[K] x i64>, %i: !graph.tensor<[K] x i64>) {
  // CHECK: graph.scatter max %{{.*}}[%{{.*}}] dim 0 unique :
  %a = graph.scatter max %u [%i] dim 0 unique : !graph.tensor<[K] x i64>, !graph.tensor<[K] x i64> -> !graph.tensor<[N] x i64>
  // CHECK: graph.scatter prod %{{.*}}[%{{.*}}] dim 0 sorted :
  %b = graph.scatter prod %u [%i] dim 0 sorted : !graph.tensor<[K] x i64>, !graph.tensor<[K] x i64> -> !graph.tensor<[N] x i64>
  return
}

// -----

func.func @kind(%u: !graph.tensor<[K] x i1>, %i: !graph.tensor<[K] x i64>) {
  // expected-error @+1 {{c4: any is not sum, prod, max or min}}
  %r = graph.scatter any %u [%i] dim 0 : !graph.tensor<[K] x i1>, !graph.tensor<[K] x i64> -> !graph.tensor<[N] x i1>
  return
}
