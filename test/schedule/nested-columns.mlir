// RUN: nereid-opt %s --schedule=stage=3 | FileCheck %s

// Columns of two axes, and a number for each element of the outer one: it has a loop of its own, in which the number is
// loaded once.
// CHECK-LABEL: func.func @group_long_kernel
// CHECK-NOT: arith.remsi
// CHECK: scf.for
// CHECK: %[[SUMS:.*]] = scf.for
// CHECK: tile.load
// CHECK: scf.yield
// CHECK: scf.yield %[[SUMS]]
// CHECK: scf.for
// CHECK: tile.load %{{.*}} : !tile.ptr<f32> -> f32
// CHECK: scf.for
// CHECK: tile.load
// CHECK: tile.store
func.func @group(%x: !graph.tensor<[M, C, L] x f32> {graph.name = "x"}, %w: !graph.tensor<[C] x f32> {graph.name = "w"})
    -> !graph.tensor<[M, C, L] x f32>
    attributes {graph.program, graph.result = "{0}", graph.hints = {M = 1024 : i64, C = 8 : i64, L = 16384 : i64}} {
  %s = graph.fold sum %x [1, 2] : !graph.tensor<[M, C, L] x f32> -> !graph.tensor<[M] x f32>
  %sb = graph.broadcast %s [0] : !graph.tensor<[M] x f32> -> !graph.tensor<[M, C, L] x f32>
  %wb = graph.broadcast %w [1] : !graph.tensor<[C] x f32> -> !graph.tensor<[M, C, L] x f32>
  %d = graph.sub %x, %sb : !graph.tensor<[M, C, L] x f32>
  %y = graph.mul %d, %wb : !graph.tensor<[M, C, L] x f32>
  return %y : !graph.tensor<[M, C, L] x f32>
}
