// RUN: nereid-opt %s -split-input-file -verify-diagnostics | nereid-opt -split-input-file | FileCheck %s

// CHECK-LABEL: func.func @fold(
func.func @fold(%a: !graph.tensor<[M, N] x f32>) {
  // CHECK: graph.fold sum %{{.*}} [1] : <[M, N] x f32> -> <[M] x f32>
  %r = graph.fold sum %a [1] : !graph.tensor<[M, N] x f32> -> !graph.tensor<[M] x f32>
  return
}

// -----

// CHECK-LABEL: func.func @argmax(
func.func @argmax(%a: !graph.tensor<[M, N] x f32>) {
  // CHECK: graph.fold argmax %{{.*}} [0] : <[M, N] x f32> -> <[N] x i64>
  %r = graph.fold argmax %a [0] : !graph.tensor<[M, N] x f32> -> !graph.tensor<[N] x i64>
  return
}

// -----

func.func @order(%a: !graph.tensor<[M, N] x f32>) {
  // expected-error @+1 {{c1: axes must increase and lie within rank 2}}
  %r = graph.fold sum %a [1, 0] : !graph.tensor<[M, N] x f32> -> !graph.tensor<[] x f32>
  return
}

// -----

func.func @one(%a: !graph.tensor<[M, N] x f32>) {
  // expected-error @+1 {{c1: argmin takes one axis, found 2}}
  %r = graph.fold argmin %a [0, 1] : !graph.tensor<[M, N] x f32> -> !graph.tensor<[] x i64>
  return
}

// -----

func.func @sizes(%a: !graph.tensor<[M, N] x f32>) {
  // expected-error @+1 {{c2: the result's sizes are those of the axes that stay}}
  %r = graph.fold max %a [1] : !graph.tensor<[M, N] x f32> -> !graph.tensor<[N] x f32>
  return
}

// -----

func.func @logical(%a: !graph.tensor<[M] x f32>) {
  // expected-error @+1 {{c3: any and all take bool}}
  %r = graph.fold any %a [0] : !graph.tensor<[M] x f32> -> !graph.tensor<[] x i1>
  return
}

// -----

func.func @element(%a: !graph.tensor<[M] x f32>) {
  // expected-error @+1 {{c3: the result's element type is 'f32'}}
  %r = graph.fold sum %a [0] : !graph.tensor<[M] x f32> -> !graph.tensor<[] x f64>
  return
}

// -----

func.func @logsum(%a: !graph.tensor<[M] x f32>) {
  // expected-error @+1 {{c4: logsum is the kind of a scan, not of a fold}}
  %r = graph.fold logsum %a [0] : !graph.tensor<[M] x f32> -> !graph.tensor<[] x f32>
  return
}
