// RUN: nereid-opt %s --schedule=stage=3 | FileCheck %s
// RUN: nereid-opt %s --schedule=stage=2 | FileCheck %s --check-prefix=TWICE

// Powers of the distance from the mean are summed about the mean of the first block and moved to the row's at the end:
// one loop, no difference of great sums, and the loop's bounds tell how many elements there are.
// CHECK-LABEL: func.func @variance_long_kernel
// CHECK: tile.load
// CHECK: math.absf
// CHECK: tile.reduce
// CHECK: arith.minsi
// CHECK: %[[PILOT:.*]] = arith.select {{.*}} : f32
// CHECK: scf.for {{.*}} iter_args({{[^,]*}}, {{[^,]*}}, {{[^,]*}}) ->
// CHECK: %[[X:.*]] = tile.load
// CHECK: %[[PILOTS:.*]] = tile.splat %[[PILOT]]
// CHECK: arith.subf %[[X]], %[[PILOTS]]
// CHECK: scf.yield
// CHECK: tile.reduce
// CHECK: arith.subf %[[PILOT]]
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
