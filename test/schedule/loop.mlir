// A loop over a symbolic axis is one kernel: its state is carried by the lanes, and what does not depend on it is fused.
// RUN: nereid-opt %s --schedule=stage=2 | FileCheck %s

// CHECK-LABEL: func.func @recurrence_kernel(
// CHECK: %[[LOOP:.*]] = scf.for %{{.*}} = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%[[STATE:.*]] = %{{.*}})
// CHECK: tile.load
// CHECK: math.exp
// CHECK: tile.load
// CHECK: tile.store
// CHECK: scf.yield
// CHECK: tile.store
func.func @recurrence(%h0: !graph.tensor<[B] x f32> {graph.name = "h0"}, %a: !graph.tensor<[T, B] x f32> {graph.name = "a"}, %x: !graph.tensor<[T, B] x f32> {graph.name = "x"}) -> (!graph.tensor<[T, B] x f32>, !graph.tensor<[B] x f32>) attributes {graph.program, graph.result = "({0}, {1})"} {
  %e = graph.exp %a : !graph.tensor<[T, B] x f32>
  %h, %ys = graph.loop <T>(%h0) over (%e, %x) with () : (!graph.tensor<[B] x f32>, !graph.tensor<[T, B] x f32>, !graph.tensor<[T, B] x f32>) -> (!graph.tensor<[B] x f32>, !graph.tensor<[T, B] x f32>) {
  ^bb0(%s: !graph.tensor<[B] x f32>, %g: !graph.tensor<[B] x f32>, %v: !graph.tensor<[B] x f32>):
    %m = graph.mul %g, %s : !graph.tensor<[B] x f32>
    %n = graph.add %m, %v : !graph.tensor<[B] x f32>
    graph.yield %n, %n : !graph.tensor<[B] x f32>, !graph.tensor<[B] x f32>
  }
  return %ys, %h : !graph.tensor<[T, B] x f32>, !graph.tensor<[B] x f32>
}
