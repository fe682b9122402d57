// RUN: nereid-opt %s -split-input-file -verify-diagnostics | nereid-opt -split-input-file | FileCheck %s

// CHECK-LABEL: func.func @contiguous(
func.func @contiguous(%a: !graph.tensor<[M, N] x f32>) {
  // CHECK: graph.contiguous %{{.*}} : <[M, N] x f32>
  %r = graph.contiguous %a : !graph.tensor<[M, N] x f32>
  return
}

// -----

func.func @sizes(%a: !graph.tensor<[M, N] x f32>) -> !graph.tensor<[N, M] x f32> {
  // expected-note @+1 {{prior use here}}
  %r = graph.contiguous %a : !graph.tensor<[M, N] x f32>
  // expected-error @+1 {{use of value '%r' expects different type than prior uses}}
  return %r : !graph.tensor<[N, M] x f32>
}
