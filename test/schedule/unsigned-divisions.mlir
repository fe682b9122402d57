// RUN: nereid-opt %s --schedule=stage=2 | FileCheck %s

// Each axis divides once, without signs: the quotient by the inner axes is divided on, not the position again.
// CHECK-LABEL: func.func @shifted_contiguous_kernel
// CHECK: %[[OFFSETS:.*]] = arith.addi %{{.*}}, %{{.*}} : tensor<1024xi32
// CHECK-DAG: arith.remui %[[OFFSETS]], %[[N:.*]] : tensor
// CHECK-DAG: %[[ROWS:.*]] = arith.divui %[[OFFSETS]], %[[N]] : tensor
// CHECK-DAG: arith.remui %[[ROWS]], %{{.*}} : tensor
// CHECK-DAG: arith.divui %[[ROWS]], %{{.*}} : tensor
// CHECK-NOT: arith.div
// CHECK: tile.store
func.func @shifted(%x: !graph.tensor<[B, M, N] x f32> {graph.name = "x"}, %y: !graph.tensor<[B, N] x f32> {graph.name = "y"}, %z: !graph.tensor<[M] x f32> {graph.name = "z"})
    -> !graph.tensor<[B, M, N] x f32> attributes {graph.program, graph.result = "{0}"} {
  %a = graph.broadcast %y [0, 2] : !graph.tensor<[B, N] x f32> -> !graph.tensor<[B, M, N] x f32>
  %b = graph.broadcast %z [1] : !graph.tensor<[M] x f32> -> !graph.tensor<[B, M, N] x f32>
  %p = graph.mul %x, %a : !graph.tensor<[B, M, N] x f32>
  %r = graph.add %p, %b : !graph.tensor<[B, M, N] x f32>
  return %r : !graph.tensor<[B, M, N] x f32>
}
