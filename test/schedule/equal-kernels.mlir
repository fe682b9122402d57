// RUN: nereid-opt %s --schedule=stage=3 | FileCheck %s

// Of a split sum only the first part reads an input: the kernel that adds its results is the same
// for contiguous inputs and for others, and is made once.

// CHECK-NOT: func.func @total_out_contiguous
// CHECK: func.func @total_out_partial_contiguous_kernel
// CHECK-NOT: func.func @total_out_contiguous
// CHECK: func.func @total_out_partial_kernel
// CHECK: func.func @total_out_kernel
// CHECK: host.launch @total_out_partial_contiguous_kernel
// CHECK: host.launch @total_out_kernel
// CHECK: host.launch @total_out_partial_kernel
// CHECK: host.launch @total_out_kernel
func.func @total(%x: !graph.tensor<[M, N] x f32> {graph.name = "x"}) -> !graph.tensor<[] x f32>
    attributes {graph.program, graph.result = "{0}", graph.hints = {M = 4096 : i64, N = 4096 : i64}} {
  %0 = graph.fold sum %x [0, 1] : <[M, N] x f32> -> <[] x f32>
  return %0 : !graph.tensor<[] x f32>
}
