// RUN: nereid-opt %s | nereid-opt | FileCheck %s

// CHECK-LABEL: func.func @contiguous(
func.func @contiguous(%a: !graph.tensor<[M, N] x f32>) {
  // CHECK: graph.contiguous %{{.*}} : <[M, N] x f32>
  %r = graph.contiguous %a : !graph.tensor<[M, N] x f32>
  return
}
