// RUN: nereid-opt %s --schedule=stage=3 | FileCheck %s
// RUN: nereid-opt %s --schedule=stage=2 | FileCheck %s --check-prefix=APART

// The gradient of a normalisation: each row has a sum and a part of the result, and two folds run over the rows.
// Programs go over spans of rows and carry the folds, so that x and dy are read once.

// CHECK: func.func @norm_dx_kernel(%{{.*}}: !tile.ptr<f32>{{.*}} "x_ptr"
// CHECK-SAME: tile.meta = ["BLOCK_M", "BLOCK_N"]
// CHECK: %[[STOP:.*]] = arith.minsi
// CHECK: %[[SUMS:.*]]:2 = scf.for %{{.*}} = %{{.*}} to %[[STOP]] step %{{.*}} iter_args
// CHECK: tile.load
// CHECK: tile.load
// CHECK: tile.reduce
// CHECK: tile.store
// CHECK-NOT: tile.load
// CHECK: scf.yield
// Rows are asked for before the fold of the one before is there, while shared memory holds them.
// CHECK: } {tile.most_ahead = {{[0-9]+}} : i64, tile.num_stages = 3 : i64}
// CHECK: tile.reduce 0(%[[SUMS]]#
// CHECK: tile.store
// CHECK: tile.reduce 0(%[[SUMS]]#
// CHECK: tile.store
// CHECK: return

// Rows that are too long to be held take kernels apart.

// CHECK: func.func @norm_dx_apart_kernel
// CHECK: func.func @norm(
// CHECK: host.cond <"N <= 16384">
// CHECK: host.launch @norm_dx_kernel
// CHECK: host.launch @norm_dx_apart_
// APART-NOT: _partial
func.func @norm(%x: !graph.tensor<[M, N] x f32> {graph.name = "x"}, %dy: !graph.tensor<[M, N] x f32> {graph.name = "dy"})
    -> (!graph.tensor<[M, N] x f32>, !graph.tensor<[N] x f32>, !graph.tensor<[N] x f32>)
    attributes {graph.program, graph.result = "({0}, {1}, {2})", graph.hints = {M = 32768 : i64, N = 4096 : i64}} {
  %0 = graph.mul %x, %dy : <[M, N] x f32>
  %1 = graph.fold sum %0 [1] : <[M, N] x f32> -> <[M] x f32>
  %2 = graph.broadcast %1 [0] : <[M] x f32> -> <[M, N] x f32>
  %3 = graph.mul %x, %2 : <[M, N] x f32>
  %dx = graph.sub %dy, %3 : <[M, N] x f32> loc("dx")
  %dw = graph.fold sum %0 [0] : <[M, N] x f32> -> <[N] x f32> loc("dw")
  %db = graph.fold sum %dy [0] : <[M, N] x f32> -> <[N] x f32> loc("db")
  return %dx, %dw, %db : !graph.tensor<[M, N] x f32>, !graph.tensor<[N] x f32>, !graph.tensor<[N] x f32>
}

// The gradient of a bias beside that of what it was added to: no fold of the row is needed.

// CHECK: func.func @bias_dx_kernel
// CHECK: scf.for
// CHECK: tile.store
// CHECK: tile.store
// CHECK: return
func.func @bias(%x: !graph.tensor<[M, N] x f32> {graph.name = "x"}, %dy: !graph.tensor<[M, N] x f32> {graph.name = "dy"})
    -> (!graph.tensor<[M, N] x f32>, !graph.tensor<[N] x f32>)
    attributes {graph.program, graph.result = "({0}, {1})", graph.hints = {M = 32768 : i64, N = 4096 : i64}} {
  %dx = graph.mul %x, %dy : <[M, N] x f32> loc("dx")
  %db = graph.fold sum %dx [0] : <[M, N] x f32> -> <[N] x f32> loc("db")
  return %dx, %db : !graph.tensor<[M, N] x f32>, !graph.tensor<[N] x f32>
}

// A fold over some of the rows' axes: each program keeps to one index of the others, goes over all rows and has the
// whole result.

// CHECK: func.func @outer_kernel
// CHECK: scf.for
// CHECK: tile.store
// CHECK: tile.store
// CHECK: return
// CHECK: host.launch @outer_kernel grid [#sym.expr<S>]
func.func @outer(%x: !graph.tensor<[B, S, T] x f32> {graph.name = "x"}, %dy: !graph.tensor<[B, S, T] x f32> {graph.name = "dy"})
    -> (!graph.tensor<[B, S, T] x f32>, !graph.tensor<[S, T] x f32>)
    attributes {graph.program, graph.result = "({0}, {1})", graph.hints = {B = 64 : i64, S = 1024 : i64, T = 1024 : i64}} {
  %0 = graph.mul %x, %dy : <[B, S, T] x f32>
  %1 = graph.fold sum %0 [2] : <[B, S, T] x f32> -> <[B, S] x f32>
  %2 = graph.broadcast %1 [0, 1] : <[B, S] x f32> -> <[B, S, T] x f32>
  %3 = graph.mul %x, %2 : <[B, S, T] x f32>
  %dx = graph.sub %dy, %3 : <[B, S, T] x f32> loc("dx")
  %db = graph.fold sum %dx [0] : <[B, S, T] x f32> -> <[S, T] x f32> loc("db")
  return %dx, %db : !graph.tensor<[B, S, T] x f32>, !graph.tensor<[S, T] x f32>
}
