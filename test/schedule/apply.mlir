// A function is a wall like a call, but of kernels of its own for row-major tensors: what is given is a whole tensor
// made row-major, or a copy; a size that none of them has is a number.
// RUN: nereid-opt %s --schedule=stage=3 | FileCheck %s

// CHECK-LABEL: func.func @scaled(
// CHECK-SAME: !host.tensor<[M, N] x f32, [N, 1]>
// CHECK-SAME: host.function
// CHECK-NOT: host.is_contiguous
// CHECK: host.launch @scaled_kernel
func.func @scaled(%x: !graph.tensor<[M, N] x f32> {graph.name = "x"}, %k: !graph.tensor<[] x i64> {graph.name = "K", graph.scalar, graph.symbol = "K"})
    -> !graph.tensor<[M, N] x f32> attributes {graph.program, graph.function, graph.result = "{0}"} {
  %n = graph.size <K> -> !graph.tensor<[] x i64>
  %f = graph.cast %n : !graph.tensor<[] x i64> -> !graph.tensor<[] x f32>
  %b = graph.broadcast %f [] : !graph.tensor<[] x f32> -> !graph.tensor<[M, N] x f32>
  %r = graph.mul %x, %b : !graph.tensor<[M, N] x f32>
  return %r : !graph.tensor<[M, N] x f32>
}

// CHECK-LABEL: func.func @main(
// CHECK: %[[X:.*]] = host.contiguous %arg0
// CHECK: %[[K:.*]] = host.size <K>
// CHECK: %[[ONE:.*]] = host.apply @scaled(%[[X]], %[[K]])
// CHECK: %[[COPY:.*]] = host.empty
// CHECK: host.launch @main_given_kernel {{.*}}(%[[ONE]], %[[COPY]]
// CHECK: host.apply @scaled(%[[COPY]],
func.func @main(%x: !graph.tensor<[M, N] x f32> {graph.name = "x"}, %y: !graph.tensor<[K] x f32> {graph.name = "y"})
    -> !graph.tensor<[M, N] x f32> attributes {graph.program, graph.result = "{0}"} {
  %k = graph.size <K> -> !graph.tensor<[] x i64>
  %a = graph.apply @scaled(%x, %k) : (!graph.tensor<[M, N] x f32>, !graph.tensor<[] x i64>) -> !graph.tensor<[M, N] x f32>
  %f = graph.flip %a [1] : !graph.tensor<[M, N] x f32>
  %b = graph.apply @scaled(%f, %k) : (!graph.tensor<[M, N] x f32>, !graph.tensor<[] x i64>) -> !graph.tensor<[M, N] x f32>
  return %b : !graph.tensor<[M, N] x f32>
}
