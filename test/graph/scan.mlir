// RUN: nereid-opt %s -split-input-file -verify-diagnostics | nereid-opt -split-input-file | FileCheck %s

// CHECK-LABEL: func.func @scan(
func.func @scan(%a: !graph.tensor<[M, N] x f32>) {
  // CHECK: graph.scan sum %{{.*}} 1 : <[M, N] x f32>
  %r = graph.scan sum %a 1 : !graph.tensor<[M, N] x f32>
  // CHECK: graph.scan logsum %{{.*}} 0 : <[M, N] x f32>
  %l = graph.scan logsum %a 0 : !graph.tensor<[M, N] x f32>
  return
}

// -----

// CHECK-LABEL: func.func @resets(
func.func @resets(%a: !graph.tensor<[M, N] x f32>, %s: !graph.tensor<[M, N] x i1>) {
  // CHECK: graph.scan sum %{{.*}}[%{{.*}}] 1 reverse : <[M, N] x f32>, !graph.tensor<[M, N] x i1>
  %r = graph.scan sum %a [%s] 1 reverse : !graph.tensor<[M, N] x f32>, !graph.tensor<[M, N] x i1>
  return
}

// -----

func.func @sizes(%a: !graph.tensor<[M, N] x f32>, %s: !graph.tensor<[M] x i1>) {
  // expected-error @+1 {{c3: the sizes of '!graph.tensor<[M] x i1>' are not those of}}
  %r = graph.scan sum %a [%s] 1 : !graph.tensor<[M, N] x f32>, !graph.tensor<[M] x i1>
  return
}

// -----

func.func @axis(%a: !graph.tensor<[M, N] x f32>) {
  // expected-error @+1 {{c1: axis 2 does not lie within rank 2}}
  %r = graph.scan sum %a 2 : !graph.tensor<[M, N] x f32>
  return
}

// -----

func.func @kind(%a: !graph.tensor<[M] x i1>) {
  // expected-error @+1 {{c2: a scan is a sum, prod, max, min or logsum, found any}}
  %r = graph.scan any %a 0 : !graph.tensor<[M] x i1>
  return
}

// -----

func.func @integers(%a: !graph.tensor<[M] x i64>) {
  // expected-error @+1 {{c2: logsum is of floats, found 'i64'}}
  %r = graph.scan logsum %a 0 : !graph.tensor<[M] x i64>
  return
}
