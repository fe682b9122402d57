// RUN: nereid-opt %s --schedule=stage=3 | FileCheck %s

// Each element of a batch adds the same bias. Programs that lie side by side differ in the batch, so that the bias
// comes from memory once.
// CHECK-LABEL: func.func @biased_kernel
// CHECK: %[[PID:.*]] = tile.program_id 0
// CHECK: arith.remsi %[[PID]], %{{.*}}
// CHECK: arith.divsi %[[PID]], %{{.*}}
func.func @biased(%x: !graph.tensor<[B, S, T] x f32> {graph.name = "x"}, %y: !graph.tensor<[S, T] x f32> {graph.name = "y"})
    -> !graph.tensor<[B, S, T] x f32>
    attributes {graph.program, graph.result = "{0}", graph.hints = {B = 8 : i64, S = 8192 : i64, T = 2048 : i64}} {
  %r = graph.broadcast %y [1, 2] : !graph.tensor<[S, T] x f32> -> !graph.tensor<[B, S, T] x f32>
  %v = graph.add %x, %r : !graph.tensor<[B, S, T] x f32>
  %s = graph.fold sum %v [2] : !graph.tensor<[B, S, T] x f32> -> !graph.tensor<[B, S] x f32>
  %b = graph.broadcast %s [0, 1] : !graph.tensor<[B, S] x f32> -> !graph.tensor<[B, S, T] x f32>
  %z = graph.sub %v, %b : !graph.tensor<[B, S, T] x f32>
  return %z : !graph.tensor<[B, S, T] x f32>
}
