// RUN: nereid-opt %s --schedule=stage=1 | FileCheck %s

// The grid has one axis, which may be long: blocks of rows within each outer row.
// CHECK: func.func @f_kernel
// CHECK: tile.program_id 0
// CHECK-NOT: tile.program_id
// CHECK-LABEL: func.func @f(
// CHECK-NOT: second axis of a grid
// CHECK: host.launch {{.*}} grid [#sym.expr<"B * cdiv(N, BLOCK_M)">]
func.func @f(%x: !graph.tensor<[B, K, N] x f32> {graph.name = "x"}) -> !graph.tensor<[B, N] x f32>
    attributes {graph.program, graph.result = "{0}"} {
  %s = graph.fold sum %x [1] : !graph.tensor<[B, K, N] x f32> -> !graph.tensor<[B, N] x f32>
  return %s : !graph.tensor<[B, N] x f32>
}
