// RUN: nereid-opt %s --schedule=stage=3 | FileCheck %s

// Scores above the diagonal are hidden: what a mask hides need not come from memory. The load's condition goes by
// whole sectors of the columns, so that it is as wide as without one; the choice is that of the program.
// CHECK-LABEL: func.func @causal_kernel
// CHECK: arith.divsi
// CHECK: %[[NEEDED:.*]] = arith.cmpi sle
// CHECK: arith.andi %{{.*}}, %[[NEEDED]]
// CHECK: tile.load
// CHECK: arith.select
func.func @causal(%x: !graph.tensor<[B, S, T] x f32> {graph.name = "x"}) -> !graph.tensor<[B, S, T] x f32>
    attributes {graph.program, graph.result = "{0}", graph.hints = {B = 64 : i64, S = 2048 : i64, T = 2048 : i64}} {
  %i = graph.iota 1 -> !graph.tensor<[B, S, T] x i64>
  %j = graph.iota 2 -> !graph.tensor<[B, S, T] x i64>
  %hidden = graph.gt %j, %i : !graph.tensor<[B, S, T] x i64>
  %none = graph.constant -1.0 : f64 -> !graph.tensor<[] x f32>
  %fill = graph.broadcast %none [] : !graph.tensor<[] x f32> -> !graph.tensor<[B, S, T] x f32>
  %v = graph.where %hidden, %fill, %x : !graph.tensor<[B, S, T] x f32>
  %s = graph.fold sum %v [2] : !graph.tensor<[B, S, T] x f32> -> !graph.tensor<[B, S] x f32>
  %b = graph.broadcast %s [0, 1] : !graph.tensor<[B, S] x f32> -> !graph.tensor<[B, S, T] x f32>
  %y = graph.sub %v, %b : !graph.tensor<[B, S, T] x f32>
  return %y : !graph.tensor<[B, S, T] x f32>
}
