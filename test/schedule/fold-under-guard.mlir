// RUN: nereid-opt %s --schedule=stage=2 | FileCheck %s

// What a pad reads depends on a fold: the fold is made once for the row, outside of the pad's condition.
// CHECK-LABEL: func.func @f_kernel
// CHECK-COUNT-1: tile.reduce
// CHECK-NOT: tile.reduce
// CHECK: tile.store
// CHECK-LABEL: func.func @f_long_kernel
// CHECK: scf.for
// CHECK: tile.reduce
// CHECK: scf.for
// CHECK-NOT: tile.reduce
// CHECK: tile.store
func.func @f(%x: !graph.tensor<[M] x f32> {graph.name = "x"}) -> !graph.tensor<[M + 3] x f32>
    attributes {graph.program, graph.result = "{0}"} {
  %m = graph.fold max %x [0] : !graph.tensor<[M] x f32> -> !graph.tensor<[] x f32>
  %b = graph.broadcast %m [] : !graph.tensor<[] x f32> -> !graph.tensor<[M] x f32>
  %c = graph.sub %x, %b : !graph.tensor<[M] x f32>
  %zero = graph.constant 0.0 : f64 -> !graph.tensor<[] x f32>
  %y = graph.pad %c, %zero dim 0 low <1> : !graph.tensor<[M] x f32>, !graph.tensor<[] x f32> -> !graph.tensor<[M + 3] x f32>
  return %y : !graph.tensor<[M + 3] x f32>
}
