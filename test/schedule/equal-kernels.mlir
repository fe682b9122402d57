// RUN: nereid-opt %s --schedule=stage=3 | FileCheck %s
// RUN: nereid-opt %s --schedule=stage=1 | FileCheck %s --check-prefix=NAIVE

// Of a split sum only the first part reads an input: the kernel that adds its results is the same
// for contiguous inputs and for others, and is made once.

// CHECK-NOT: func.func @total_out_contiguous
// CHECK: func.func @total_out_partial_contiguous_kernel
// CHECK-NOT: func.func @total_out_contiguous
// CHECK: func.func @total_out_kernel
// CHECK: func.func @total_out_partial_kernel
// CHECK: host.launch @total_out_partial_contiguous_kernel
// CHECK: host.launch @total_out_kernel
// CHECK: host.launch @total_out_partial_kernel
// CHECK: host.launch @total_out_kernel
func.func @total(%x: !graph.tensor<[M, N] x f32> {graph.name = "x"}) -> !graph.tensor<[] x f32>
    attributes {graph.program, graph.result = "{0}", graph.hints = {M = 4096 : i64, N = 4096 : i64}} {
  %0 = graph.fold sum %x [0, 1] : <[M, N] x f32> -> <[] x f32>
  return %0 : !graph.tensor<[] x f32>
}

// Steps that are the same but for what they read and write have one kernel, of another step none.

// NAIVE-LABEL: func.func @steps_cos_kernel
// NAIVE: func.func @steps_exp_kernel
// NAIVE-NOT: func.func
// NAIVE: func.func @steps_sin_kernel
// NAIVE-NOT: func.func
// NAIVE: func.func @steps_out_kernel
// NAIVE: host.launch @steps_cos_kernel
// NAIVE: host.launch @steps_exp_kernel
// NAIVE: host.launch @steps_sin_kernel
// NAIVE: host.launch @steps_exp_kernel
// NAIVE: host.launch @steps_out_kernel
func.func @steps(%x: !graph.tensor<[64] x f32> {graph.name = "x"}) -> !graph.tensor<[64] x f32>
    attributes {graph.program, graph.result = "{0}"} {
  %0 = graph.cos %x : <[64] x f32>
  %1 = graph.exp %0 : <[64] x f32>
  %2 = graph.sin %1 : <[64] x f32>
  %3 = graph.exp %2 : <[64] x f32>
  %4 = graph.sin %3 : <[64] x f32>
  return %4 : !graph.tensor<[64] x f32>
}
