// RUN: nereid-opt %s --schedule=stage=3 | FileCheck %s

// A map that reads along one axis and writes along another has tiles of both.

// CHECK: func.func @transposed_{{.*}}kernel
// CHECK: tile.load {{.*}} -> tensor<64x64xf32
// CHECK-NOT: scf.for
// CHECK: tile.store
func.func @transposed(%x: !graph.tensor<[M, N] x f32> {graph.name = "x"}, %y: !graph.tensor<[N, M] x f32> {graph.name = "y"}) -> !graph.tensor<[N, M] x f32>
    attributes {graph.program, graph.result = "{0}", graph.hints = {M = 4096 : i64, N = 4096 : i64}} {
  %0 = graph.transpose %x [1, 0] : !graph.tensor<[M, N] x f32> -> !graph.tensor<[N, M] x f32>
  %1 = graph.add %0, %y : !graph.tensor<[N, M] x f32>
  return %1 : !graph.tensor<[N, M] x f32>
}
