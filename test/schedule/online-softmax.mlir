// RUN: nereid-opt %s --schedule=stage=3 | FileCheck %s

// A long row is read twice, not three times: the sum of exponentials follows the greatest element so far, lane by
// lane, and the lanes come together after the loop. An infinity less itself is no distance.
// CHECK-LABEL: func.func @softmax_long_kernel
// CHECK: scf.for
// CHECK: %[[X:.*]] = tile.load
// CHECK: %[[NEW:.*]] = arith.maxnumf %[[OLD:.*]], %[[X]]
// CHECK: arith.cmpf oeq, %[[X]], %[[NEW]]
// CHECK: arith.cmpf oeq, %[[OLD]], %[[NEW]]
// CHECK: %[[SCALE:.*]] = math.exp
// CHECK: arith.mulf %{{.*}}, %[[SCALE]]
// CHECK: math.exp
// CHECK: scf.yield
// CHECK: tile.reduce
// CHECK: math.exp
// CHECK: tile.reduce
// CHECK: scf.for
// CHECK: tile.store
// CHECK-NOT: scf.for
// CHECK-LABEL: func.func @softmax(
func.func @softmax(%x: !graph.tensor<[M, N] x f32> {graph.name = "x"}) -> !graph.tensor<[M, N] x f32>
    attributes {graph.program, graph.result = "{0}", graph.hints = {M = 4096 : i64, N = 65536 : i64}} {
  %m = graph.fold max %x [1] : !graph.tensor<[M, N] x f32> -> !graph.tensor<[M] x f32>
  %mb = graph.broadcast %m [0] : !graph.tensor<[M] x f32> -> !graph.tensor<[M, N] x f32>
  %c = graph.sub %x, %mb : !graph.tensor<[M, N] x f32>
  %e = graph.exp %c : !graph.tensor<[M, N] x f32>
  %s = graph.fold sum %e [1] : !graph.tensor<[M, N] x f32> -> !graph.tensor<[M] x f32>
  %sb = graph.broadcast %s [0] : !graph.tensor<[M] x f32> -> !graph.tensor<[M, N] x f32>
  %y = graph.div %e, %sb : !graph.tensor<[M, N] x f32>
  return %y : !graph.tensor<[M, N] x f32>
}
