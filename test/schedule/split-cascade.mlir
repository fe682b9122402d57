// RUN: nereid-opt %s --schedule=stage=3 | FileCheck %s

// The variance of a whole tensor reads it once: programs keep count, sum and squares of a window about the mean of that
// window, and the one program that combines them moves all to the mean of the tensor.

// CHECK: func.func @variance_{{[a-z0-9_]*}}_partial_contiguous_kernel(%{{.*}}: !tile.ptr<f32>{{.*}} "x_ptr"
// CHECK: scf.for
// CHECK-NOT: scf.for
// CHECK: return
// CHECK: func.func @variance_out1_kernel
// CHECK-NOT: "x_ptr"
// CHECK: return
func.func @variance(%x: !graph.tensor<[M, N] x f32> {graph.name = "x"}) -> (!graph.tensor<[] x f32>, !graph.tensor<[] x f32>)
    attributes {graph.program, graph.result = "({0}, {1})", graph.hints = {M = 8192 : i64, N = 8192 : i64}} {
  %sum = graph.fold sum %x [0, 1] : <[M, N] x f32> -> <[] x f32>
  %count = graph.size <"M * N"> -> !graph.tensor<[] x i64>
  %n = graph.cast %count : <[] x i64> -> <[] x f32>
  %mean = graph.div %sum, %n : <[] x f32>
  %spread = graph.broadcast %mean [] : <[] x f32> -> <[M, N] x f32>
  %shift = graph.sub %x, %spread : <[M, N] x f32>
  %square = graph.mul %shift, %shift : <[M, N] x f32>
  %total = graph.fold sum %square [0, 1] : <[M, N] x f32> -> <[] x f32>
  %var = graph.div %total, %n : <[] x f32>
  return %mean, %var : !graph.tensor<[] x f32>, !graph.tensor<[] x f32>
}
