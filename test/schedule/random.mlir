// RUN: nereid-opt %s --schedule=stage=2 --split-input-file | FileCheck %s

// Random numbers are computed where they are used, by the element's row-major position.
// CHECK-LABEL: func.func @dropped_contiguous_kernel
// CHECK: %[[OFFSETS:.*]] = arith.addi {{.*}}xi64
// CHECK: tile.addptr %{{.*}}, %[[OFFSETS]]
// CHECK: tile.random shared_uniform %{{.*}}, %[[OFFSETS]] : tensor<{{.*}}xi64{{.*}} -> tensor<{{.*}}xf32
// Strides do not matter.
// CHECK-LABEL: func.func @dropped_kernel
// CHECK: tile.random shared_uniform %{{.*}} -> tensor<{{.*}}xf32
// CHECK-NOT: tile.random
// CHECK-LABEL: func.func @dropped(
func.func @dropped(%x: !graph.tensor<[M, N] x f32> {graph.name = "x"},
                   %s: !graph.tensor<[] x i64> {graph.name = "seed", graph.scalar})
    -> !graph.tensor<[M, N] x f32> attributes {graph.program, graph.result = "{0}"} {
  %u = graph.random uniform %s stream 0 : !graph.tensor<[] x i64> -> !graph.tensor<[M, N] x f32>
  %r = graph.mul %x, %u : !graph.tensor<[M, N] x f32>
  return %r : !graph.tensor<[M, N] x f32>
}

// -----

// A fold's kernel draws by rows: the same counters. A second draw starts 2^40 later, in 64 bits.
// CHECK-LABEL: func.func @noisy_sum_kernel
// CHECK: %[[STREAM:.*]] = arith.constant 1099511627776 : i64
// CHECK: arith.addi %{{.*}}, %[[STREAM]] : i64
// CHECK: tile.random normal %{{.*}}, %{{.*}} : tensor<{{.*}}xi64{{.*}} -> tensor<{{.*}}xf32
// CHECK: tile.reduce
func.func @noisy_sum(%x: !graph.tensor<[M, N] x f32> {graph.name = "x"},
                     %s: !graph.tensor<[] x i64> {graph.name = "seed", graph.scalar})
    -> !graph.tensor<[M] x f32> attributes {graph.program, graph.result = "{0}"} {
  %n = graph.random normal %s stream 1 : !graph.tensor<[] x i64> -> !graph.tensor<[M, N] x f32>
  %y = graph.add %x, %n : !graph.tensor<[M, N] x f32>
  %r = graph.fold sum %y [1] : !graph.tensor<[M, N] x f32> -> !graph.tensor<[M] x f32>
  return %r : !graph.tensor<[M] x f32>
}
