// RUN: nereid-opt %s --schedule=stage=2 --split-input-file | FileCheck %s

// Few places: each looks at every update, and sums those that are sent to it.
// CHECK-LABEL: func.func @few_kernel
// CHECK-NOT: tile.atomic_rmw
// CHECK: %[[HIT:.*]] = arith.cmpi eq
// CHECK: arith.select %[[HIT]]
// CHECK: tile.reduce
func.func @few(%u: !graph.tensor<[K] x f32> {graph.name = "u"}, %i: !graph.tensor<[K] x i64> {graph.name = "i"})
    -> !graph.tensor<[8] x f32> attributes {graph.program, graph.result = "{0}"} {
  %r = graph.scatter sum %u [%i] dim 0 : !graph.tensor<[K] x f32>, !graph.tensor<[K] x i64> -> !graph.tensor<[8] x f32>
  return %r : !graph.tensor<[8] x f32>
}

// -----

// Integers come out the same in any order: atomics, at places that exist.
// CHECK-LABEL: func.func @counts_kernel
// CHECK: arith.cmpi sge, %[[PLACE:[0-9]+]],
// CHECK: arith.cmpi slt, %[[PLACE]],
// CHECK: tile.atomic_rmw add {{.*}} mask
// CHECK-LABEL: func.func @counts(
// CHECK: %[[ZERO:.*]] = arith.constant 0 : i64
// CHECK: host.full %[[ZERO]]
func.func @counts(%u: !graph.tensor<[K] x i64> {graph.name = "u"}, %i: !graph.tensor<[K] x i64> {graph.name = "i"})
    -> !graph.tensor<[N] x i64> attributes {graph.program, graph.result = "{0}"} {
  %r = graph.scatter sum %u [%i] dim 0 : !graph.tensor<[K] x i64>, !graph.tensor<[K] x i64> -> !graph.tensor<[N] x i64>
  return %r : !graph.tensor<[N] x i64>
}

// -----

// The last one that is sent to a place: the greatest position, none is the least number.
// CHECK-LABEL: func.func @last_kernel
// CHECK: tile.atomic_rmw max
// CHECK-LABEL: func.func @last(
// CHECK: arith.constant -9223372036854775808 : i64
func.func @last(%i: !graph.tensor<[M, K] x i64> {graph.name = "i"})
    -> !graph.tensor<[M, N] x i64> attributes {graph.program, graph.result = "{0}"} {
  %p = graph.iota 1 -> !graph.tensor<[M, K] x i64>
  %r = graph.scatter max %p [%i] dim 1 : !graph.tensor<[M, K] x i64>, !graph.tensor<[M, K] x i64> -> !graph.tensor<[M, N] x i64>
  return %r : !graph.tensor<[M, N] x i64>
}

// -----

// Runs of rows: from one bound to the next, held within the rows.
// CHECK-LABEL: func.func @runs_kernel
// CHECK: %[[START:.*]] = tile.load
// CHECK: %[[LOW:.*]] = arith.minsi %[[START]]
// CHECK: arith.maxsi
// CHECK: scf.for
// CHECK: tile.load
func.func @runs(%a: !graph.tensor<[K, N] x f32> {graph.name = "a"}, %b: !graph.tensor<[M + 1] x i64> {graph.name = "b"})
    -> !graph.tensor<[M, N] x f32> attributes {graph.program, graph.result = "{0}"} {
  %r = graph.segment sum %a [%b] : !graph.tensor<[K, N] x f32>, !graph.tensor<[M + 1] x i64> -> !graph.tensor<[M, N] x f32>
  return %r : !graph.tensor<[M, N] x f32>
}

// -----

// A search halves the line for all lanes at once; what it looks at exists.
// CHECK-LABEL: func.func @find_kernel
// CHECK: scf.for
// CHECK: arith.shrsi
// CHECK: tile.load %{{.*}} mask
// CHECK: arith.select
func.func @find(%k: !graph.tensor<[K] x i64> {graph.name = "k"}, %v: !graph.tensor<[N] x i64> {graph.name = "v"})
    -> !graph.tensor<[N] x i64> attributes {graph.program, graph.result = "{0}"} {
  %r = graph.search %k, %v : !graph.tensor<[K] x i64>, !graph.tensor<[N] x i64> -> !graph.tensor<[N] x i64>
  return %r : !graph.tensor<[N] x i64>
}
