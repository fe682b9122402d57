// RUN: nereid-opt %s --schedule=stage=2 -split-input-file | FileCheck %s

// Where the typical sizes ask for it, positions along several axes have 64 bits and any size is taken.
// CHECK-LABEL: func.func @large_kernel
// CHECK: %[[PID:.*]] = tile.program_id 0
// CHECK: arith.extsi %[[PID]] : i32 to i64
// CHECK: arith.divsi {{.*}} : tensor<{{.*}}xi64
// CHECK-LABEL: func.func @large(
// CHECK-NOT: host.check
func.func @large(%x: !graph.tensor<[B, M, N] x f32> {graph.name = "x"}) -> !graph.tensor<[B, M, N + 1] x f32>
    attributes {graph.program, graph.result = "{0}", graph.hints = {B = 64 : i64, M = 16384 : i64, N = 4096 : i64}} {
  %z = graph.constant 0.0 : f64 -> !graph.tensor<[] x f32>
  %p = graph.pad %x, %z dim 2 low <0> : !graph.tensor<[B, M, N] x f32>, !graph.tensor<[] x f32> -> !graph.tensor<[B, M, N + 1] x f32>
  return %p : !graph.tensor<[B, M, N + 1] x f32>
}

// -----

// Else they have 32 bits, and the call says what to do.
// CHECK-LABEL: func.func @small_kernel
// CHECK: arith.divui {{.*}} : tensor<{{.*}}xi32
// CHECK-LABEL: func.func @small(
// CHECK: host.check {{.*}}, "2**31 elements or more: convert at such sizes"
func.func @small(%x: !graph.tensor<[B, M, N] x f32> {graph.name = "x"}) -> !graph.tensor<[B, M, N + 1] x f32>
    attributes {graph.program, graph.result = "{0}", graph.hints = {B = 4 : i64, M = 256 : i64, N = 4096 : i64}} {
  %z = graph.constant 0.0 : f64 -> !graph.tensor<[] x f32>
  %p = graph.pad %x, %z dim 2 low <0> : !graph.tensor<[B, M, N] x f32>, !graph.tensor<[] x f32> -> !graph.tensor<[B, M, N + 1] x f32>
  return %p : !graph.tensor<[B, M, N + 1] x f32>
}
