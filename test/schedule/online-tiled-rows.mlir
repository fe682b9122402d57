// RUN: nereid-opt %s --schedule=stage=3 | FileCheck %s

// Entropy over an axis that is not the contiguous one: tiles of rows and columns, all three sums in one loop. The sum
// of u * exp(u) moves with that of exp(u).
// CHECK-LABEL: func.func @entropy
// CHECK: scf.for
// CHECK: arith.maxnumf
// CHECK: scf.yield
// CHECK-NOT: scf.for
// CHECK: tile.store
func.func @entropy(%x: !graph.tensor<[B, N, C] x f32> {graph.name = "x"}) -> !graph.tensor<[B, C] x f32>
    attributes {graph.program, graph.result = "{0}", graph.hints = {B = 64 : i64, N = 1024 : i64, C = 4096 : i64}} {
  %m = graph.fold max %x [1] : !graph.tensor<[B, N, C] x f32> -> !graph.tensor<[B, C] x f32>
  %mb = graph.broadcast %m [0, 2] : !graph.tensor<[B, C] x f32> -> !graph.tensor<[B, N, C] x f32>
  %c = graph.sub %x, %mb : !graph.tensor<[B, N, C] x f32>
  %e = graph.exp %c : !graph.tensor<[B, N, C] x f32>
  %s = graph.fold sum %e [1] : !graph.tensor<[B, N, C] x f32> -> !graph.tensor<[B, C] x f32>
  %log = graph.log %s : !graph.tensor<[B, C] x f32>
  %lb = graph.broadcast %log [0, 2] : !graph.tensor<[B, C] x f32> -> !graph.tensor<[B, N, C] x f32>
  %p = graph.sub %c, %lb : !graph.tensor<[B, N, C] x f32>
  %q = graph.exp %p : !graph.tensor<[B, N, C] x f32>
  %pq = graph.mul %q, %p : !graph.tensor<[B, N, C] x f32>
  %h = graph.fold sum %pq [1] : !graph.tensor<[B, N, C] x f32> -> !graph.tensor<[B, C] x f32>
  return %h : !graph.tensor<[B, C] x f32>
}
