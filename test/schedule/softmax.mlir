// RUN: nereid-opt %s --schedule=stage=2 | FileCheck %s
// RUN: nereid-opt %s --schedule=stage=1 | FileCheck %s --check-prefix=NAIVE

// A softmax written out is one kernel at stage 2: both folds over the resident row, the padding of the load serving
// both, and the plain maximum, because a NaN reaches every output through the sum.
// CHECK-LABEL: func.func @softmax_kernel
// CHECK: tile.load {{.*}} other
// CHECK: tile.reduce
// CHECK: arith.maxnumf
// CHECK: math.exp
// CHECK: tile.reduce
// CHECK-NOT: arith.select
// CHECK: tile.store
// CHECK-LABEL: func.func @softmax_long_kernel
// CHECK-COUNT-3: scf.for
// CHECK-LABEL: func.func @softmax(
// CHECK: host.cond <"N <= 32768">
// CHECK: host.launch @softmax_kernel grid [#sym.expr<M>]
// CHECK: host.launch @softmax_long_kernel grid [#sym.expr<M>]

// At stage 1 each of the five operators is a kernel, and the maximum keeps NaN.
// NAIVE: arith.maximumf
// NAIVE-COUNT-5: host.empty
func.func @softmax(%x: !graph.tensor<[M, N] x f32> {graph.name = "x"}) -> !graph.tensor<[M, N] x f32>
    attributes {graph.program, graph.result = "{0}"} {
  %m = graph.fold max %x [1] : !graph.tensor<[M, N] x f32> -> !graph.tensor<[M] x f32>
  %mb = graph.broadcast %m [0] : !graph.tensor<[M] x f32> -> !graph.tensor<[M, N] x f32>
  %c = graph.sub %x, %mb : !graph.tensor<[M, N] x f32>
  %e = graph.exp %c : !graph.tensor<[M, N] x f32>
  %s = graph.fold sum %e [1] : !graph.tensor<[M, N] x f32> -> !graph.tensor<[M] x f32>
  %sb = graph.broadcast %s [0] : !graph.tensor<[M] x f32> -> !graph.tensor<[M, N] x f32>
  %y = graph.div %e, %sb : !graph.tensor<[M, N] x f32>
  return %y : !graph.tensor<[M, N] x f32>
}
