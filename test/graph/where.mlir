// RUN: nereid-opt %s -split-input-file -verify-diagnostics | nereid-opt -split-input-file | FileCheck %s

// CHECK-LABEL: func.func @where(
func.func @where(%a: !graph.tensor<[M] x i1>, %b: !graph.tensor<[M] x f32>, %c: !graph.tensor<[M] x f32>) {
  // CHECK: graph.where %{{.*}}, %{{.*}}, %{{.*}} : <[M] x f32>
  %r = graph.where %a, %b, %c : !graph.tensor<[M] x f32>
  return
}

// CHECK-LABEL: func.func @hides(
func.func @hides(%a: !graph.tensor<[M] x i1>, %b: !graph.tensor<[M] x f32>, %c: !graph.tensor<[M] x f32>) {
  // CHECK: graph.where %{{.*}}, %{{.*}}, %{{.*}} {hides} : <[M] x f32>
  %r = graph.where %a, %b, %c {hides} : !graph.tensor<[M] x f32>
  return
}

// -----

func.func @condition(%a: !graph.tensor<[N] x i1>, %b: !graph.tensor<[M] x f32>, %c: !graph.tensor<[M] x f32>) {
  // expected-error @+1 {{c2: the condition is bool of the operands' sizes}}
  %r = "graph.where"(%a, %b, %c) : (!graph.tensor<[N] x i1>, !graph.tensor<[M] x f32>, !graph.tensor<[M] x f32>) -> !graph.tensor<[M] x f32>
  return
}
