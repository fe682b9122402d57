// RUN: nereid-opt %s --schedule=stage=2 | FileCheck %s

// A sum over the outer axis: neighbouring rows are neighbours in memory, so a program takes a block of them.
// CHECK-LABEL: func.func @columns_kernel
// CHECK: scf.for
// CHECK: tile.load {{.*}}"BLOCK_M", "BLOCK_N"
// CHECK: tile.reduce 1
// CHECK: tile.store {{.*}}"BLOCK_M"
// CHECK: host.launch @columns_kernel grid [#sym.expr<"cdiv(N, BLOCK_M)">]
func.func @columns(%x: !graph.tensor<[M, N] x f32> {graph.name = "x"}) -> !graph.tensor<[N] x f32>
    attributes {graph.program, graph.result = "{0}"} {
  %s = graph.fold sum %x [0] : !graph.tensor<[M, N] x f32> -> !graph.tensor<[N] x f32>
  return %s : !graph.tensor<[N] x f32>
}
