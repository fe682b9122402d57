// A function is differentiated once: what saves, what only computes and what computes the gradients.
// RUN: nereid-opt %s --add-backward | FileCheck %s
// RUN: nereid-opt %s --add-backward --schedule=stage=2 | nereid-opt -o /dev/null

// CHECK-LABEL: func.func @main(
// CHECK: %[[A:.*]]:2 = graph.apply @soft_saving(
// CHECK: %[[B:.*]]:2 = graph.apply @soft_saving(%[[A]]#0, %{{.*}})
// CHECK-LABEL: func.func @main_backward(
// CHECK: %[[G:.*]] = graph.apply @soft_backward(
// CHECK: graph.apply @soft_backward(%[[G]],
// CHECK-LABEL: func.func @soft(
// CHECK-LABEL: func.func @soft_saving(
// CHECK-SAME: graph.plain = @soft
// CHECK-LABEL: func.func @soft_backward(
// CHECK-SAME: graph.function
// CHECK-SAME: graph.gradient_of = @soft_saving
func.func @main(%x: !graph.tensor<[M, N] x f32> {graph.name = "x"}, %y: !graph.tensor<[K] x f32> {graph.name = "y", graph.frozen})
    -> !graph.tensor<[M, N] x f32> attributes {graph.program, graph.result = "{0}", graph.hints = {K = 8, M = 64, N = 64}} {
  %k = graph.size <K> -> !graph.tensor<[] x i64>
  %a = graph.apply @soft(%x, %k) : (!graph.tensor<[M, N] x f32>, !graph.tensor<[] x i64>) -> !graph.tensor<[M, N] x f32>
  %b = graph.apply @soft(%a, %k) : (!graph.tensor<[M, N] x f32>, !graph.tensor<[] x i64>) -> !graph.tensor<[M, N] x f32>
  return %b : !graph.tensor<[M, N] x f32>
}

func.func @soft(%x: !graph.tensor<[M, N] x f32> {graph.name = "x"}, %k: !graph.tensor<[] x i64> {graph.name = "K", graph.scalar, graph.symbol = "K"})
    -> !graph.tensor<[M, N] x f32> attributes {graph.program, graph.function, graph.result = "{0}", graph.hints = {K = 8, M = 64, N = 64}} {
  %e = graph.exp %x : !graph.tensor<[M, N] x f32>
  %s = graph.fold sum %e [1] : !graph.tensor<[M, N] x f32> -> !graph.tensor<[M] x f32>
  %b = graph.broadcast %s [0] : !graph.tensor<[M] x f32> -> !graph.tensor<[M, N] x f32>
  %r = graph.div %e, %b : !graph.tensor<[M, N] x f32>
  return %r : !graph.tensor<[M, N] x f32>
}
