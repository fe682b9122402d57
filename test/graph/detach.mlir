// RUN: nereid-opt %s | nereid-opt | FileCheck %s

// CHECK-LABEL: func.func @detach(
func.func @detach(%a: !graph.tensor<[M, N] x f32>) {
  // CHECK: graph.detach %{{.*}} : <[M, N] x f32>
  %r = graph.detach %a : !graph.tensor<[M, N] x f32>
  return
}
