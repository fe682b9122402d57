// RUN: nereid-opt %s --schedule=stage=3 | FileCheck %s

// Rows along a middle axis are neighbours in memory. A program holds a few of them whole and reads them once; where they
// are too long, it goes over them in a loop.
// CHECK-LABEL: func.func @middle_kernel(
// CHECK-NOT: scf.for
// CHECK: tile.load {{.*}}"BLOCK_M", "BLOCK_N"
// CHECK-NOT: tile.load
// CHECK: tile.store
// CHECK-LABEL: func.func @middle_long_kernel(
// CHECK: scf.for
// CHECK-LABEL: func.func @middle(
// CHECK: host.cond <"T <= 1024">
// CHECK: host.launch @middle_kernel grid [#sym.expr<"B * cdiv(D, BLOCK_M)">]
func.func @middle(%x: !graph.tensor<[B, T, D] x f32> {graph.name = "x"}) -> !graph.tensor<[B, T, D] x f32>
    attributes {graph.program, graph.result = "{0}"} {
  %m = graph.fold max %x [1] : <[B, T, D] x f32> -> <[B, D] x f32>
  %b = graph.broadcast %m [0, 2] : <[B, D] x f32> -> <[B, T, D] x f32>
  %r = graph.sub %x, %b : <[B, T, D] x f32>
  return %r : !graph.tensor<[B, T, D] x f32>
}

// A scan along the outer axis takes blocks of its lines.
// CHECK-LABEL: func.func @column_scan_kernel(
// CHECK: tile.scan 1
func.func @column_scan(%x: !graph.tensor<[M, N] x f32> {graph.name = "x"}) -> !graph.tensor<[M, N] x f32>
    attributes {graph.program, graph.result = "{0}"} {
  %s = graph.scan sum %x 0 : !graph.tensor<[M, N] x f32>
  return %s : !graph.tensor<[M, N] x f32>
}
