// A loop whose turns fold the state has whole rows of it in a program.
// RUN: nereid-opt %s --schedule=stage=2 | FileCheck %s

// CHECK-LABEL: func.func @normalised_kernel(
// CHECK: scf.for %{{.*}} iter_args(%{{.*}} = %{{.*}}) -> (tensor<{{.*}}BLOCK_N{{.*}}>)
// CHECK: tile.load
// CHECK: tile.reduce
// CHECK: arith.divf
// CHECK: tile.store
// CHECK: scf.yield
// CHECK-LABEL: func.func @normalised(
// CHECK: host.check <"N <= {{[0-9]+}}">, "a row is too long for a loop that folds it"
func.func @normalised(%h0: !graph.tensor<[B, N] x f32> {graph.name = "h0"}, %x: !graph.tensor<[T, B, N] x f32> {graph.name = "x"}) -> !graph.tensor<[T, B, N] x f32> attributes {graph.program, graph.result = "{0}"} {
  %h, %ys = graph.loop <T>(%h0) over (%x) with () : (!graph.tensor<[B, N] x f32>, !graph.tensor<[T, B, N] x f32>) -> (!graph.tensor<[B, N] x f32>, !graph.tensor<[T, B, N] x f32>) {
  ^bb0(%s: !graph.tensor<[B, N] x f32>, %v: !graph.tensor<[B, N] x f32>):
    %a = graph.add %s, %v : !graph.tensor<[B, N] x f32>
    %f = graph.fold sum %a [1] : !graph.tensor<[B, N] x f32> -> !graph.tensor<[B] x f32>
    %r = graph.broadcast %f [0] : !graph.tensor<[B] x f32> -> !graph.tensor<[B, N] x f32>
    %n = graph.div %a, %r : !graph.tensor<[B, N] x f32>
    graph.yield %n, %n : !graph.tensor<[B, N] x f32>, !graph.tensor<[B, N] x f32>
  }
  return %ys : !graph.tensor<[T, B, N] x f32>
}
