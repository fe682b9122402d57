// RUN: nereid-opt %s --schedule=stage=2 | FileCheck %s

// A gather by positions is no gather: the index is an expression, and no indices are loaded.
// CHECK-LABEL: func.func @reflect_kernel(
// CHECK-COUNT-1: tile.load
// CHECK-NOT: tile.load
// CHECK: tile.store
func.func @reflect(%x: !graph.tensor<[M, N] x f32> {graph.name = "x"}) -> !graph.tensor<[M, N + 2] x f32>
    attributes {graph.program, graph.result = "{0}"} {
  graph.check <"N >= 2">, "too short"
  %i = graph.iota 0 -> <[N + 2] x i64>
  %one = graph.constant 1 : i64 -> <[] x i64>
  %low = graph.broadcast %one [] : <[] x i64> -> <[N + 2] x i64>
  %p = graph.sub %i, %low : <[N + 2] x i64>
  %a = graph.abs %p : <[N + 2] x i64>
  %last = graph.size <N - 1> -> <[] x i64>
  %l = graph.broadcast %last [] : <[] x i64> -> <[N + 2] x i64>
  %b = graph.sub %l, %a : <[N + 2] x i64>
  %c = graph.abs %b : <[N + 2] x i64>
  %d = graph.sub %l, %c : <[N + 2] x i64>
  %e = graph.broadcast %d [1] : <[N + 2] x i64> -> <[M, N + 2] x i64>
  %g = graph.gather %x[%e] dim 1 : <[M, N] x f32>, <[M, N + 2] x i64> -> <[M, N + 2] x f32>
  return %g : !graph.tensor<[M, N + 2] x f32>
}

// One that stays within is a view.
// CHECK-LABEL: func.func @spread_kernel(
// CHECK-NOT: arith.select
// CHECK: tile.store
func.func @spread(%x: !graph.tensor<[M, N] x f32> {graph.name = "x"}) -> !graph.tensor<[M, 3*N] x f32>
    attributes {graph.program, graph.result = "{0}"} {
  %i = graph.iota 0 -> <[3*N] x i64>
  %three = graph.constant 3 : i64 -> <[] x i64>
  %t = graph.broadcast %three [] : <[] x i64> -> <[3*N] x i64>
  %p = graph.floordiv %i, %t : <[3*N] x i64>
  %e = graph.broadcast %p [1] : <[3*N] x i64> -> <[M, 3*N] x i64>
  %g = graph.gather %x[%e] dim 1 : <[M, N] x f32>, <[M, 3*N] x i64> -> <[M, 3*N] x f32>
  return %g : !graph.tensor<[M, 3*N] x f32>
}
