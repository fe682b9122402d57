// RUN: nereid-opt %s --schedule=stage=1 | FileCheck %s
// RUN: nereid-opt %s --schedule=stage=2 | FileCheck %s

// A fold of one number repeated: no coordinate of the input tells the axis.
// CHECK: tile.reduce
// CHECK-LABEL: func.func @f(
func.func @f(%x: !graph.tensor<[] x f32> {graph.name = "x"}, %y: !graph.tensor<[M] x f32> {graph.name = "y"})
    -> !graph.tensor<[] x f32> attributes {graph.program, graph.result = "{0}"} {
  %b = graph.broadcast %x [] : !graph.tensor<[] x f32> -> !graph.tensor<[M] x f32>
  %s = graph.fold sum %b [0] : !graph.tensor<[M] x f32> -> !graph.tensor<[] x f32>
  return %s : !graph.tensor<[] x f32>
}

// A fold over no axes is its element.
// CHECK-LABEL: func.func @none_kernel
// CHECK: tile.store
func.func @none(%x: !graph.tensor<[] x f32> {graph.name = "x"}) -> !graph.tensor<[] x f32>
    attributes {graph.program, graph.result = "{0}"} {
  %s = graph.fold sum %x [] : !graph.tensor<[] x f32> -> !graph.tensor<[] x f32>
  return %s : !graph.tensor<[] x f32>
}
