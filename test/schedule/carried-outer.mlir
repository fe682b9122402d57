// RUN: nereid-opt %s --schedule=stage=3 | FileCheck %s

// A modulated norm's gradient: rows of each element of a batch are folded along D, and a column's gradient over the
// batch's own rows. Programs go over spans of the rows of one element of the batch and carry the columns' sums: what is
// read is read once.
// CHECK-LABEL: func.func @modulated_y_kernel
// CHECK: tile.program_id 0
// CHECK: tile.program_id 1
// CHECK: scf.for
// CHECK: tile.reduce
// CHECK: tile.store
// CHECK: scf.yield
// CHECK: tile.reduce
// CHECK: tile.store
func.func @modulated(%x: !graph.tensor<[B, T, D] x f32> {graph.name = "x"}, %g: !graph.tensor<[B, T, D] x f32> {graph.name = "g"})
    -> (!graph.tensor<[B, T, D] x f32>, !graph.tensor<[B, D] x f32>)
    attributes {graph.program, graph.result = "({0}, {1})", graph.hints = {B = 64 : i64, T = 1024 : i64, D = 2048 : i64}} {
  %p = graph.mul %x, %g : !graph.tensor<[B, T, D] x f32>
  %s = graph.fold sum %p [2] : !graph.tensor<[B, T, D] x f32> -> !graph.tensor<[B, T] x f32>
  %b = graph.broadcast %s [0, 1] : !graph.tensor<[B, T] x f32> -> !graph.tensor<[B, T, D] x f32>
  %y = graph.sub %p, %b : !graph.tensor<[B, T, D] x f32> loc("y")
  %c = graph.fold sum %p [1] : !graph.tensor<[B, T, D] x f32> -> !graph.tensor<[B, D] x f32>
  return %y, %c : !graph.tensor<[B, T, D] x f32>, !graph.tensor<[B, D] x f32>
}
