// RUN: nereid-opt %s --schedule=stage=3 | FileCheck %s

// A long row is read twice, not three times: the sum of exponentials follows the greatest element that the row has had
// so far, which all lanes share. An element costs one exponential. What is followed is never infinite, and it moves by
// no more than nothing.
// CHECK-LABEL: func.func @softmax_long_kernel
// CHECK: scf.for {{.*}} -> (f32, tensor<
// CHECK: %[[X:.*]] = tile.load
// CHECK: %[[BLOCK:.*]] = tile.reduce {{.*}}(%[[X]])
// CHECK: %[[NEW:.*]] = arith.maxnumf %[[OLD:.*]], %[[BLOCK]]
// CHECK: math.absf %[[OLD]]
// CHECK: math.absf %[[NEW]]
// CHECK: arith.select
// CHECK: %[[SHIFT:.*]] = arith.minnumf
// CHECK: %[[SCALED:.*]] = arith.mulf %[[SHIFT]], %{{.*}} : f32
// CHECK: math.exp2 %[[SCALED]] : f32
// CHECK: math.exp2 %{{.*}} : tensor<
// CHECK-NOT: math.exp
// CHECK: scf.yield %[[NEW]]
// CHECK: tile.reduce
// CHECK: math.exp
// CHECK: scf.for
// What is written must not push out of the cache what is read again.
// CHECK: tile.store {{.*}} {evictionPolicy = "evict_first"}
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
