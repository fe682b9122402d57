// RUN: nereid-opt %s --schedule=stage=3 | FileCheck %s

// Short rows share a program: the wrapper chooses how many from the length of a row.

// CHECK: func.func @short_kernel
// CHECK-SAME: tile.meta = ["BLOCK_M", "BLOCK_N"]
// CHECK: tile.reduce
// CHECK: host.launch @short_kernel
// CHECK-SAME: BLOCK_M = #sym.expr<
// CHECK-SAME: BLOCK_N = #sym.expr<
func.func @short(%x: !graph.tensor<[M, N] x f32> {graph.name = "x"}) -> !graph.tensor<[M] x f32>
    attributes {graph.program, graph.result = "{0}", graph.hints = {M = 65536 : i64, N = 64 : i64}} {
  %0 = graph.fold sum %x [1] : <[M, N] x f32> -> <[M] x f32>
  return %0 : !graph.tensor<[M] x f32>
}
