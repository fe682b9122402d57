// RUN: nereid-opt %s --schedule=stage=2 --split-input-file | FileCheck %s

// The machine's division truncates, that of index maps rounds down. A flip of a reshape divides -1 - i: the quotient
// is taken of i instead.
// CHECK-LABEL: func.func @flip_kernel
// CHECK: %[[OFFSETS:.*]] = arith.addi %{{.*}}, %{{.*}} : tensor<1024xi
// CHECK: arith.divsi %[[OFFSETS]], %{{.*}}
// CHECK-NOT: arith.div{{.}}i
// CHECK-NOT: arith.select
// CHECK: tile.store
func.func @flip(%x: !graph.tensor<[M, K] x f32> {graph.name = "x"}) -> !graph.tensor<[K*M] x f32>
    attributes {graph.program, graph.result = "{0}"} {
  %r = graph.reshape %x : !graph.tensor<[M, K] x f32> -> !graph.tensor<[K*M] x f32>
  %y = graph.flip %r [0] : !graph.tensor<[K*M] x f32>
  return %y : !graph.tensor<[K*M] x f32>
}

// -----

// Under the condition of a pad the dividend is not negative: one division.
// CHECK-LABEL: func.func @pad_kernel
// CHECK: arith.divsi
// CHECK-NOT: arith.select
// CHECK: tile.load
func.func @pad(%x: !graph.tensor<[M, K] x f32> {graph.name = "x"}) -> !graph.tensor<[K*M + 1] x f32>
    attributes {graph.program, graph.result = "{0}"} {
  %r = graph.reshape %x : !graph.tensor<[M, K] x f32> -> !graph.tensor<[K*M] x f32>
  %zero = graph.constant 0.0 : f64 -> !graph.tensor<[] x f32>
  %y = graph.pad %r, %zero dim 0 low <1> : !graph.tensor<[K*M] x f32>, !graph.tensor<[] x f32> -> !graph.tensor<[K*M + 1] x f32>
  return %y : !graph.tensor<[K*M + 1] x f32>
}

// -----

// A size that may be negative is divided by the wrapper.
// CHECK-LABEL: func.func @size_kernel
// CHECK-NOT: arith.div{{.}}i
// CHECK: func.func @size(
// CHECK: host.size <"cdiv(M, 2) - 2">
func.func @size(%x: !graph.tensor<[M] x f32> {graph.name = "x"}) -> !graph.tensor<[M] x i64>
    attributes {graph.program, graph.result = "{0}"} {
  %n = graph.size <"(M - 3) // 2"> -> !graph.tensor<[] x i64>
  %y = graph.broadcast %n [] : !graph.tensor<[] x i64> -> !graph.tensor<[M] x i64>
  return %y : !graph.tensor<[M] x i64>
}
