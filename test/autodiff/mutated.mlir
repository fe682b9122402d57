// RUN: nereid-opt %s --add-backward | FileCheck %s

// A buffer that the program overwrites and that the gradient needs as it was: the forward program returns a copy.

// CHECK-LABEL: func.func @overwritten
// CHECK-SAME: !graph.tensor<[M] x f32> {graph.saved}
// CHECK: graph.assign %[[B:.*]], %
// CHECK: return %{{.*}}, %[[B]]
// CHECK-LABEL: func.func @overwritten_backward
// CHECK-SAME: graph.name = "b_before", graph.saved = 0
func.func @overwritten(%x: !graph.tensor<[M] x f32> {graph.name = "x"}, %b: !graph.tensor<[M] x f32> {graph.name = "b", graph.parameter = "b", graph.buffer}) -> !graph.tensor<[M] x f32> attributes {graph.program, graph.result = "{0}"} {
  %r = graph.mul %x, %b : !graph.tensor<[M] x f32>
  %n = graph.neg %b : !graph.tensor<[M] x f32>
  graph.assign %b, %n : !graph.tensor<[M] x f32>
  return %r : !graph.tensor<[M] x f32>
}
