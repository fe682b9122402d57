// RUN: nereid-opt %s --schedule=stage=3 | FileCheck %s

// A product of a row and a column is written and not read: it has tiles, so that what depends on the
// row is divided once a row.

// CHECK: func.func @outer{{.*}}kernel
// CHECK-NOT: arith.rem{{.}}i {{.*}}tensor<16x128
// CHECK: tile.store {{.*}} tensor<16x128xf32
func.func @outer(%w: !graph.tensor<[B, D] x f32> {graph.name = "w"}, %m: !graph.tensor<[B, T] x f32> {graph.name = "m"}) -> !graph.tensor<[B, T, D] x f32>
    attributes {graph.program, graph.result = "{0}", graph.hints = {B = 64 : i64, T = 1024 : i64, D = 1024 : i64}} {
  %0 = graph.broadcast %w [0, 2] : <[B, D] x f32> -> <[B, T, D] x f32>
  %1 = graph.broadcast %m [0, 1] : <[B, T] x f32> -> <[B, T, D] x f32>
  %2 = graph.mul %0, %1 : !graph.tensor<[B, T, D] x f32>
  return %2 : !graph.tensor<[B, T, D] x f32>
}
