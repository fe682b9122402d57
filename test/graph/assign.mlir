// RUN: nereid-opt %s -split-input-file -verify-diagnostics | nereid-opt -split-input-file | FileCheck %s

// CHECK-LABEL: func.func @assign(
func.func @assign(%a: !graph.tensor<[M] x f32>, %b: !graph.tensor<[M] x f32>) {
  // CHECK: graph.assign %{{.*}}, %{{.*}} : <[M] x f32>
  graph.assign %a, %b : !graph.tensor<[M] x f32>
  return
}

// -----

func.func @temporary(%a: !graph.tensor<[M] x f32>) {
  %b = graph.neg %a : !graph.tensor<[M] x f32>
  // expected-error @+1 {{c1: the target is no argument of the program}}
  graph.assign %b, %a : !graph.tensor<[M] x f32>
  return
}

// -----

func.func @types(%a: !graph.tensor<[M] x f32>, %b: !graph.tensor<[N] x f32>) {
  // expected-error @+1 {{failed to verify that all of {target, value} have same type}}
  "graph.assign"(%a, %b) : (!graph.tensor<[M] x f32>, !graph.tensor<[N] x f32>) -> ()
  return
}
