// RUN: nereid-opt %s --add-backward | FileCheck %s
// RUN: nereid-opt %s --add-backward --schedule=stage=1 | nereid-opt -o /dev/null
// RUN: nereid-opt %s --add-backward --schedule=stage=2 | nereid-opt -o /dev/null

// A composite's gradient is a composite; what it needs of the forward composite is yielded there.

// CHECK-LABEL: func.func @f(
// CHECK-SAME: -> (!graph.tensor<[M, N] x f32>, !graph.tensor<[M] x f32> {graph.saved})
// CHECK-SAME: graph.backward = @f_backward
// CHECK-SAME: graph.saved = [{argument = 0 : i64}, {result = 1 : i64}]
// CHECK: %[[C:.*]]:2 = graph.composite "aten::scale.by"
// CHECK: %[[S:.*]] = graph.fold sum
// CHECK: graph.yield %{{.*}}, %[[S]]
// CHECK: return %[[C]]#0, %[[C]]#1
//
// CHECK-LABEL: func.func @f_backward(
// CHECK-SAME: %[[G:.*]]: !graph.tensor<[M, N] x f32> {graph.cotangent = 0 : i64, graph.name = "grad_out"}
// CHECK-SAME: %[[X:.*]]: !graph.tensor<[M, N] x f32> {graph.name = "x", graph.saved = 0 : i64}
// CHECK-SAME: %[[T:.*]]: !graph.tensor<[M] x f32> {graph.dense, graph.name = "sum", graph.saved = 1 : i64}
// CHECK-SAME: -> (!graph.tensor<[M, N] x f32> {graph.gradient = 0 : i64})
// CHECK-SAME: graph.gradient_of = @f
// CHECK: %[[R:.*]] = graph.composite "aten::scale_backward"
// CHECK: return %[[R]]
func.func @f(%x: !graph.tensor<[M, N] x f32> {graph.name = "x"}) -> !graph.tensor<[M, N] x f32> attributes {graph.program, graph.result = "{0}", graph.hints = {M = 64, N = 64}} {
  %r = graph.composite "aten::scale.by"(%x) : (!graph.tensor<[M, N] x f32>) -> !graph.tensor<[M, N] x f32> {
  ^bb0(%a: !graph.tensor<[M, N] x f32>):
    %s = graph.fold sum %a [1] : !graph.tensor<[M, N] x f32> -> !graph.tensor<[M] x f32>
    %b = graph.broadcast %s [0] : !graph.tensor<[M] x f32> -> !graph.tensor<[M, N] x f32>
    %y = graph.mul %a, %b : !graph.tensor<[M, N] x f32>
    graph.yield %y : !graph.tensor<[M, N] x f32>
  }
  return %r : !graph.tensor<[M, N] x f32>
}
