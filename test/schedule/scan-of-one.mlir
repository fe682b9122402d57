// RUN: nereid-opt %s --schedule=stage=1 | FileCheck %s
// RUN: nereid-opt %s --schedule=stage=2 | FileCheck %s

// A scan along an axis of one element is still a scan along a column.
// CHECK-LABEL: func.func @f_kernel
// CHECK: tile.scan
// CHECK: tile.store
func.func @f(%x: !graph.tensor<[M, 1] x f32> {graph.name = "x"}) -> !graph.tensor<[M, 1] x f32>
    attributes {graph.program, graph.result = "{0}"} {
  %y = graph.scan max %x 1 : !graph.tensor<[M, 1] x f32>
  return %y : !graph.tensor<[M, 1] x f32>
}
