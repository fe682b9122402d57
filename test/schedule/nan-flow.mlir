// RUN: nereid-opt %s --schedule=stage=2 --split-input-file | FileCheck %s

// A maximum that is a result itself keeps NaN.
// CHECK-LABEL: func.func @greatest_kernel
// CHECK-NOT: arith.maxnumf
// CHECK: arith.maximumf
func.func @greatest(%x: !graph.tensor<[M, N] x f32> {graph.name = "x"}) -> !graph.tensor<[M] x f32>
    attributes {graph.program, graph.result = "{0}"} {
  %m = graph.fold max %x [1] : !graph.tensor<[M, N] x f32> -> !graph.tensor<[M] x f32>
  return %m : !graph.tensor<[M] x f32>
}

// -----

// One that reaches the result only beside a sum of the same row may drop it.
// CHECK-LABEL: func.func @log_sum_kernel
// CHECK-NOT: arith.maximumf
// CHECK: arith.maxnumf
func.func @log_sum(%x: !graph.tensor<[M, N] x f32> {graph.name = "x"}) -> !graph.tensor<[M] x f32>
    attributes {graph.program, graph.result = "{0}"} {
  %m = graph.fold max %x [1] : !graph.tensor<[M, N] x f32> -> !graph.tensor<[M] x f32>
  %b = graph.broadcast %m [0] : !graph.tensor<[M] x f32> -> !graph.tensor<[M, N] x f32>
  %c = graph.sub %x, %b : !graph.tensor<[M, N] x f32>
  %e = graph.exp %c : !graph.tensor<[M, N] x f32>
  %s = graph.fold sum %e [1] : !graph.tensor<[M, N] x f32> -> !graph.tensor<[M] x f32>
  %l = graph.log %s : !graph.tensor<[M] x f32>
  %r = graph.add %l, %m : !graph.tensor<[M] x f32>
  return %r : !graph.tensor<[M] x f32>
}

// -----

// A `where` may hide the sum's NaN.
// CHECK-LABEL: func.func @hidden_kernel
// CHECK-NOT: arith.maxnumf
// CHECK: arith.maximumf
func.func @hidden(%x: !graph.tensor<[M, N] x f32> {graph.name = "x"}, %k: !graph.tensor<[M] x i1> {graph.name = "k"})
    -> !graph.tensor<[M] x f32> attributes {graph.program, graph.result = "{0}"} {
  %m = graph.fold max %x [1] : !graph.tensor<[M, N] x f32> -> !graph.tensor<[M] x f32>
  %s = graph.fold sum %x [1] : !graph.tensor<[M, N] x f32> -> !graph.tensor<[M] x f32>
  %r = graph.where %k, %m, %s : !graph.tensor<[M] x f32>
  return %r : !graph.tensor<[M] x f32>
}
