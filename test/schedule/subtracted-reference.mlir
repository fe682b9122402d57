// RUN: nereid-opt %s --schedule=stage=2 | FileCheck %s

// Lanes beyond the row are -inf, so that an exponential is 0 there; but -inf - y is NaN where y is -inf. Only the
// row's own maximum may be subtracted without another mask.
// CHECK-LABEL: func.func @f_kernel
// CHECK: math.exp
// CHECK: arith.select
// CHECK: tile.reduce
func.func @f(%x: !graph.tensor<[M, N] x f32> {graph.name = "x"}, %y: !graph.tensor<[M] x f32> {graph.name = "y"})
    -> !graph.tensor<[M] x f32> attributes {graph.program, graph.result = "{0}"} {
  %b = graph.broadcast %y [0] : !graph.tensor<[M] x f32> -> !graph.tensor<[M, N] x f32>
  %c = graph.sub %x, %b : !graph.tensor<[M, N] x f32>
  %e = graph.exp %c : !graph.tensor<[M, N] x f32>
  %s = graph.fold sum %e [1] : !graph.tensor<[M, N] x f32> -> !graph.tensor<[M] x f32>
  return %s : !graph.tensor<[M] x f32>
}
