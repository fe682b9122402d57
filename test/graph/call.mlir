// RUN: nereid-opt %s -split-input-file -verify-diagnostics | nereid-opt -split-input-file | FileCheck %s

// CHECK-LABEL: func.func @product(
func.func @product(%a: !graph.tensor<[M, K] x f32>, %b: !graph.tensor<[K, N] x f32>, %n: !graph.tensor<[] x i64>) {
  // CHECK: graph.call "torch.matmul" ["{0}", "{1}"](%{{.*}}, %{{.*}}) : (!graph.tensor<[M, K] x f32>, !graph.tensor<[K, N] x f32>) -> !graph.tensor<[M, N] x f32>
  %r = graph.call "torch.matmul" ["{0}", "{1}"] (%a, %b) : (!graph.tensor<[M, K] x f32>, !graph.tensor<[K, N] x f32>) -> !graph.tensor<[M, N] x f32>
  // CHECK: graph.call "Tensor.roll" ["{0}", "shifts={1:n}"]
  %s = graph.call "Tensor.roll" ["{0}", "shifts={1:n}"] (%a, %n) : (!graph.tensor<[M, K] x f32>, !graph.tensor<[] x i64>) -> !graph.tensor<[M, K] x f32>
  // CHECK: graph.call "torch.matmul" ["{0}", "{1}"](%{{.*}}, %{{.*}}) gradient(%{{.*}}) of [0] to [1]
  %g = graph.call "torch.matmul" ["{0}", "{1}"] (%a, %b) gradient (%r) of [0] to [1] : (!graph.tensor<[M, K] x f32>, !graph.tensor<[K, N] x f32>, !graph.tensor<[M, N] x f32>) -> !graph.tensor<[K, N] x f32>
  return
}

// -----

func.func @place(%a: !graph.tensor<[M] x f32>) {
  // expected-error @+1 {{c1: "{1}" has a place that is no input's}}
  %r = graph.call "torch.relu" ["{0}", "{1}"] (%a) : (!graph.tensor<[M] x f32>) -> !graph.tensor<[M] x f32>
  return
}

// -----

func.func @unnamed(%a: !graph.tensor<[M] x f32>) {
  // expected-error @+1 {{c1: an input has no place in the call}}
  %r = graph.call "torch.relu" ["{0}"] (%a, %a) : (!graph.tensor<[M] x f32>, !graph.tensor<[M] x f32>) -> !graph.tensor<[M] x f32>
  return
}

// -----

func.func @cotangents(%a: !graph.tensor<[M] x f32>) {
  // expected-error @+1 {{c2: as many results are named as there are cotangents}}
  %r = graph.call "torch.relu" ["{0}"] (%a) gradient (%a) of [0, 1] to [0] : (!graph.tensor<[M] x f32>, !graph.tensor<[M] x f32>) -> !graph.tensor<[M] x f32>
  return
}

// -----

func.func @integers(%a: !graph.tensor<[M] x f32>, %i: !graph.tensor<[M] x i64>) {
  // expected-error @+1 {{c3: a gradient has another type than input 1}}
  %r = graph.call "torch.take" ["{0}", "{1}"] (%a, %i) gradient (%a) of [0] to [1] : (!graph.tensor<[M] x f32>, !graph.tensor<[M] x i64>, !graph.tensor<[M] x f32>) -> !graph.tensor<[M] x i64>
  return
}
