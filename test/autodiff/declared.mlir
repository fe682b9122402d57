// RUN: nereid-opt %s --add-backward | FileCheck %s

// A declared gradient is taken instead of the derived one, and neither program keeps it.

// CHECK-LABEL: func.func @f(
// CHECK-NOT: gradient {
// CHECK-LABEL: func.func @f_backward(
// CHECK: graph.composite "aten::relu_backward"
// CHECK: graph.le
// CHECK: graph.where
// CHECK-NOT: graph.maximum
func.func @f(%x: !graph.tensor<[M] x f32> {graph.name = "x"}) -> !graph.tensor<[M] x f32> attributes {graph.program, graph.result = "{0}"} {
  %r = graph.composite "aten::relu"(%x) : (!graph.tensor<[M] x f32>) -> !graph.tensor<[M] x f32> {
  ^bb0(%a: !graph.tensor<[M] x f32>):
    %c = graph.constant 0.0 : f64 -> !graph.tensor<[] x f32>
    %z = graph.broadcast %c [] : !graph.tensor<[] x f32> -> !graph.tensor<[M] x f32>
    %y = graph.maximum %a, %z : !graph.tensor<[M] x f32>
    graph.yield %y : !graph.tensor<[M] x f32>
  } gradient {
  ^bb0(%g: !graph.tensor<[M] x f32>, %a: !graph.tensor<[M] x f32>, %y: !graph.tensor<[M] x f32>):
    %c = graph.constant 0.0 : f64 -> !graph.tensor<[] x f32>
    %z = graph.broadcast %c [] : !graph.tensor<[] x f32> -> !graph.tensor<[M] x f32>
    %l = graph.le %y, %z : !graph.tensor<[M] x f32>
    %d = graph.where %l, %z, %g : !graph.tensor<[M] x f32>
    graph.yield %d : !graph.tensor<[M] x f32>
  }
  return %r : !graph.tensor<[M] x f32>
}
