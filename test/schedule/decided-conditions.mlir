// RUN: nereid-opt %s --schedule=stage=2 --split-input-file | FileCheck %s

// A part of a concatenation that ends where its pieces meet reads one of them: no condition, no second load.
// CHECK-LABEL: func.func @part_kernel
// CHECK-COUNT-1: tile.load
// CHECK-NOT: tile.load
// CHECK-NOT: arith.select
// CHECK: tile.store
func.func @part(%x: !graph.tensor<[M, 8] x f32> {graph.name = "x"}, %y: !graph.tensor<[M, 8] x f32> {graph.name = "y"})
    -> !graph.tensor<[M, 4] x f32> attributes {graph.program, graph.result = "{0}"} {
  %c = graph.concat %x, %y dim 1 : !graph.tensor<[M, 8] x f32>, !graph.tensor<[M, 8] x f32> -> !graph.tensor<[M, 16] x f32>
  %s = graph.slice %c dim 1 start <8> step 1 : !graph.tensor<[M, 16] x f32> -> !graph.tensor<[M, 4] x f32>
  return %s : !graph.tensor<[M, 4] x f32>
}
