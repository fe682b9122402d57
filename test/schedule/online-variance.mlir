// RUN: nereid-opt %s --schedule=stage=3 | FileCheck %s
// RUN: nereid-opt %s --schedule=stage=2 | FileCheck %s --check-prefix=TWICE

// Powers of the distance from the mean are summed about each lane's first element and moved to the mean at the end:
// one loop, and no difference of great sums.
// CHECK-LABEL: func.func @variance_long_kernel
// CHECK: tile.load
// CHECK: math.absf
// CHECK: %[[FIRST:.*]] = arith.select
// CHECK: scf.for
// CHECK: %[[X:.*]] = tile.load
// CHECK: arith.subf %[[X]], %[[FIRST]]
// CHECK: scf.yield
// CHECK: tile.reduce
// CHECK: arith.subf %[[FIRST]]
// CHECK: tile.reduce
// CHECK-NOT: scf.for
// CHECK: tile.store
// TWICE-LABEL: func.func @variance_long_kernel
// TWICE-COUNT-2: scf.for
func.func @variance(%x: !graph.tensor<[M, N] x f32> {graph.name = "x"}) -> !graph.tensor<[M] x f32>
    attributes {graph.program, graph.result = "{0}", graph.hints = {M = 4096 : i64, N = 65536 : i64}} {
  %s = graph.fold sum %x [1] : !graph.tensor<[M, N] x f32> -> !graph.tensor<[M] x f32>
  %n = graph.size <N> -> !graph.tensor<[] x i64>
  %nf = graph.cast %n : !graph.tensor<[] x i64> -> !graph.tensor<[] x f32>
  %count = graph.broadcast %nf [] : !graph.tensor<[] x f32> -> !graph.tensor<[M] x f32>
  %mean = graph.div %s, %count : !graph.tensor<[M] x f32>
  %b = graph.broadcast %mean [0] : !graph.tensor<[M] x f32> -> !graph.tensor<[M, N] x f32>
  %c = graph.sub %x, %b : !graph.tensor<[M, N] x f32>
  %q = graph.mul %c, %c : !graph.tensor<[M, N] x f32>
  %v = graph.fold sum %q [1] : !graph.tensor<[M, N] x f32> -> !graph.tensor<[M] x f32>
  return %v : !graph.tensor<[M] x f32>
}
