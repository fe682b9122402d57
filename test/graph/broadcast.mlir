// RUN: nereid-opt %s -split-input-file -verify-diagnostics | nereid-opt -split-input-file | FileCheck %s

// CHECK-LABEL: func.func @broadcast(
func.func @broadcast(%a: !graph.tensor<[N] x f32>) {
  // CHECK: graph.broadcast %{{.*}} [1] : <[N] x f32> -> <[M, N] x f32>
  %r = graph.broadcast %a [1] : !graph.tensor<[N] x f32> -> !graph.tensor<[M, N] x f32>
  return
}

// -----

// CHECK-LABEL: func.func @one(
func.func @one(%a: !graph.tensor<[1, N] x f32>) {
  // CHECK: graph.broadcast %{{.*}} [0, 1] : <[1, N] x f32> -> <[M, N] x f32>
  %r = graph.broadcast %a [0, 1] : !graph.tensor<[1, N] x f32> -> !graph.tensor<[M, N] x f32>
  return
}

// -----

func.func @count(%a: !graph.tensor<[N] x f32>) {
  // expected-error @+1 {{c1: 2 axes are named for an input of rank 1}}
  %r = graph.broadcast %a [0, 1] : !graph.tensor<[N] x f32> -> !graph.tensor<[M, N] x f32>
  return
}

// -----

func.func @order(%a: !graph.tensor<[M, N] x f32>) {
  // expected-error @+1 {{c1: axes must increase and lie within rank 2}}
  %r = graph.broadcast %a [1, 0] : !graph.tensor<[M, N] x f32> -> !graph.tensor<[N, M] x f32>
  return
}

// -----

func.func @size(%a: !graph.tensor<[K] x f32>) {
  // expected-error @+1 {{c2: size K of axis 0 is neither 1 nor N}}
  %r = graph.broadcast %a [1] : !graph.tensor<[K] x f32> -> !graph.tensor<[M, N] x f32>
  return
}
