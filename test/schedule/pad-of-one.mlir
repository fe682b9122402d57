// RUN: nereid-opt %s --schedule=stage=2 | FileCheck %s

// The address is one number, the pad's condition is not: lanes beyond the bounds fulfil it and are masked too.
// CHECK-LABEL: func.func @f_kernel
// CHECK: %[[MASK:.*]] = arith.cmpi slt
// CHECK: %[[INSIDE:.*]] = arith.andi %[[MASK]]
// CHECK: tile.load %{{.*}} mask %[[INSIDE]]
func.func @f(%x: !graph.tensor<[1] x f32> {graph.name = "x"}, %k: !graph.tensor<[K] x f32> {graph.name = "k"})
    -> !graph.tensor<[K + 1] x f32> attributes {graph.program, graph.result = "{0}"} {
  %zero = graph.constant 0.0 : f64 -> !graph.tensor<[] x f32>
  %y = graph.pad %x, %zero dim 0 low <K> : !graph.tensor<[1] x f32>, !graph.tensor<[] x f32> -> !graph.tensor<[K + 1] x f32>
  return %y : !graph.tensor<[K + 1] x f32>
}
