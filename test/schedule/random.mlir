// RUN: nereid-opt %s --schedule=stage=2 --split-input-file | FileCheck %s

// Random numbers are computed where they are used, by the element's row-major position. The seed is read from memory,
// and the number of the stream is an argument.
// CHECK-LABEL: func.func @dropped_contiguous_kernel
// CHECK-SAME: %[[SEEDS:[^:]*]]: !tile.ptr<i64> {tile.name = "seed_ptr"}
// CHECK-SAME: %[[STREAM:[^:]*]]: i32 {tile.name = "stream"}
// CHECK: %[[PLACES:.*]] = arith.addi {{.*}}xi64
// CHECK: tile.addptr %{{.*}}, %[[PLACES]]
// CHECK: %[[SEED:.*]] = tile.load %[[SEEDS]]
// CHECK: %[[WIDE:.*]] = arith.extsi %[[STREAM]] : i32 to i64
// CHECK: %[[SHIFT:.*]] = arith.constant 42 : i64
// CHECK: %[[FIRST:.*]] = arith.shli %[[WIDE]], %[[SHIFT]] : i64
// CHECK: %[[FIRSTS:.*]] = tile.splat %[[FIRST]]
// CHECK: %[[OFFSETS:.*]] = arith.addi %[[FIRSTS]], %[[PLACES]]
// CHECK: tile.random shared_uniform %[[SEED]], %[[OFFSETS]] : tensor<{{.*}}xi64{{.*}} -> tensor<{{.*}}xf32
// Strides do not matter.
// CHECK-LABEL: func.func @dropped_kernel
// CHECK: tile.random shared_uniform %{{.*}} -> tensor<{{.*}}xf32
// CHECK-NOT: tile.random
// CHECK-LABEL: func.func @dropped(
func.func @dropped(%x: !graph.tensor<[M, N] x f32> {graph.name = "x"},
                   %s: !graph.tensor<[] x i64> {graph.name = "seed", graph.seed})
    -> !graph.tensor<[M, N] x f32> attributes {graph.program, graph.result = "{0}"} {
  %u = graph.random uniform %s stream <0> : !graph.tensor<[] x i64> -> !graph.tensor<[M, N] x f32>
  %r = graph.mul %x, %u : !graph.tensor<[M, N] x f32>
  return %r : !graph.tensor<[M, N] x f32>
}

// -----

// A fold's kernel draws by rows: the same counters. The streams of normal numbers start 2^40 apart.
// CHECK-LABEL: func.func @noisy_sum_kernel
// CHECK-SAME: %[[STREAM:[^:]*]]: i32 {tile.name = "stream"}
// CHECK: %[[WIDE:.*]] = arith.extsi %[[STREAM]] : i32 to i64
// CHECK: %[[SHIFT:.*]] = arith.constant 40 : i64
// CHECK: arith.shli %[[WIDE]], %[[SHIFT]] : i64
// CHECK: tile.random normal %{{.*}}, %{{.*}} : tensor<{{.*}}xi64{{.*}} -> tensor<{{.*}}xf32
// CHECK: tile.reduce
// CHECK-LABEL: func.func @noisy_sum(
// CHECK: %[[ONE:.*]] = host.size <1>
// CHECK: host.launch @noisy_sum{{.*}}%[[ONE]])
func.func @noisy_sum(%x: !graph.tensor<[M, N] x f32> {graph.name = "x"},
                     %s: !graph.tensor<[] x i64> {graph.name = "seed", graph.seed})
    -> !graph.tensor<[M] x f32> attributes {graph.program, graph.result = "{0}"} {
  %n = graph.random normal %s stream <1> : !graph.tensor<[] x i64> -> !graph.tensor<[M, N] x f32>
  %y = graph.add %x, %n : !graph.tensor<[M, N] x f32>
  %r = graph.fold sum %y [1] : !graph.tensor<[M, N] x f32> -> !graph.tensor<[M] x f32>
  return %r : !graph.tensor<[M] x f32>
}

// -----

// A seed is read for all lanes, whichever of them need a number.
// CHECK-LABEL: func.func @half_kernel
// CHECK: %[[SEED:.*]] = tile.load %{{[a-z0-9]*}} : !tile.ptr<i64>
// CHECK: tile.random shared_uniform %[[SEED]]
func.func @half(%x: !graph.tensor<[M] x f32> {graph.name = "x"},
                %s: !graph.tensor<[] x i64> {graph.name = "seed", graph.seed})
    -> !graph.tensor<[2*M] x f32> attributes {graph.program, graph.result = "{0}"} {
  %u = graph.random uniform %s stream <0> : !graph.tensor<[] x i64> -> !graph.tensor<[M] x f32>
  %r = graph.concat %x, %u dim 0 : !graph.tensor<[M] x f32>, !graph.tensor<[M] x f32> -> !graph.tensor<[2*M] x f32>
  return %r : !graph.tensor<[2*M] x f32>
}
