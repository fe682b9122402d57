// What a loop leaves and a first row that it does not make are one kernel: the row is stored before the turns.
// RUN: nereid-opt %s --schedule=stage=2 | FileCheck %s

// CHECK-LABEL: func.func @smooth_kernel(
// CHECK: tile.load
// CHECK: tile.store
// CHECK: scf.for
// CHECK: tile.load
// CHECK-NOT: arith.select
// CHECK: tile.store
// CHECK: scf.yield
// CHECK-NOT: tile.store
// CHECK-LABEL: func.func @smooth(
// CHECK-COUNT-1: host.launch
func.func @smooth(%x: !graph.tensor<[T, B] x f32> {graph.name = "x"}) -> !graph.tensor<[T, B] x f32> attributes {graph.program, graph.result = "{0}"} {
  graph.check <"T >= 1">, "no rows"
  %first = graph.slice %x dim 0 start <0> step 1 : !graph.tensor<[T, B] x f32> -> !graph.tensor<[1, B] x f32>
  %h0 = graph.reshape %first : !graph.tensor<[1, B] x f32> -> !graph.tensor<[B] x f32>
  %rest = graph.slice %x dim 0 start <1> step 1 : !graph.tensor<[T, B] x f32> -> !graph.tensor<[T - 1, B] x f32>
  %h, %ys = graph.loop <T - 1>(%h0) over (%rest) with () : (!graph.tensor<[B] x f32>, !graph.tensor<[T - 1, B] x f32>) -> (!graph.tensor<[B] x f32>, !graph.tensor<[T - 1, B] x f32>) {
  ^bb0(%s: !graph.tensor<[B] x f32>, %v: !graph.tensor<[B] x f32>):
    %n = graph.add %s, %v : !graph.tensor<[B] x f32>
    graph.yield %n, %n : !graph.tensor<[B] x f32>, !graph.tensor<[B] x f32>
  }
  %all = graph.concat %first, %ys dim 0 : !graph.tensor<[1, B] x f32>, !graph.tensor<[T - 1, B] x f32> -> !graph.tensor<[T, B] x f32>
  return %all : !graph.tensor<[T, B] x f32>
}

// A loop may make no turn: what is stored beside its turns relies on none, and a row that may not exist is read under a mask.
// CHECK-LABEL: func.func @behind_kernel(
// CHECK: tile.load %{{.*}} mask %{{.*}} other
// CHECK-NOT: arith.select
// CHECK: tile.store
// CHECK: scf.for
func.func @behind(%x: !graph.tensor<[T, B] x f32> {graph.name = "x"}) -> !graph.tensor<[T + 1, B] x f32> attributes {graph.program, graph.result = "{0}"} {
  %zero = graph.constant 0.0 : f64 -> !graph.tensor<[] x f32>
  %h0 = graph.broadcast %zero [] : !graph.tensor<[] x f32> -> !graph.tensor<[B] x f32>
  %h, %ys = graph.loop <T>(%h0) over (%x) with () : (!graph.tensor<[B] x f32>, !graph.tensor<[T, B] x f32>) -> (!graph.tensor<[B] x f32>, !graph.tensor<[T, B] x f32>) {
  ^bb0(%s: !graph.tensor<[B] x f32>, %v: !graph.tensor<[B] x f32>):
    %n = graph.add %s, %v : !graph.tensor<[B] x f32>
    graph.yield %n, %n : !graph.tensor<[B] x f32>, !graph.tensor<[B] x f32>
  }
  %one = graph.constant 1.0 : f64 -> !graph.tensor<[] x f32>
  %below = graph.pad %ys, %one dim 0 low <1> : !graph.tensor<[T, B] x f32>, !graph.tensor<[] x f32> -> !graph.tensor<[T + 1, B] x f32>
  %above = graph.pad %x, %zero dim 0 low <0> : !graph.tensor<[T, B] x f32>, !graph.tensor<[] x f32> -> !graph.tensor<[T + 1, B] x f32>
  %sum = graph.add %below, %above : !graph.tensor<[T + 1, B] x f32>
  return %sum : !graph.tensor<[T + 1, B] x f32>
}
