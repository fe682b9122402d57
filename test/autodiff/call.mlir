// RUN: nereid-opt %s --add-backward | FileCheck %s
// RUN: nereid-opt %s --add-backward --schedule=stage=3 | nereid-opt -o /dev/null

// The gradient of what is left to PyTorch is a call that is given the same inputs, which are saved.

// CHECK-LABEL: func.func @product(
// CHECK-SAME: graph.saved = [{argument = 0 : i64}, {argument = 1 : i64}]
// CHECK-LABEL: func.func @product_backward(
// CHECK-SAME: %[[G:[^:]*]]: !graph.tensor<[M, N] x f16>
// CHECK-SAME: %[[A:[^:]*]]: !graph.tensor<[M, K] x f16> {graph.name = "a", graph.saved = 0 : i64}
// CHECK-SAME: %[[B:[^:]*]]: !graph.tensor<[K, N] x f16> {graph.name = "b", graph.saved = 1 : i64}
// CHECK: graph.composite {{.*}}(%{{.*}}, %[[A]], %[[B]])
// CHECK: ^bb0(%{{.*}}, %[[X:.*]]: !graph.tensor<[M, K] x f16>, %[[Y:.*]]: !graph.tensor<[K, N] x f16>):
// CHECK: graph.call "torch.matmul" ["{0}", "{1}"](%[[X]], %[[Y]]) gradient(%{{.*}}) of [0] to [0, 1]
// CHECK-SAME: -> (!graph.tensor<[M, K] x f16>, !graph.tensor<[K, N] x f16>)
func.func @product(%a: !graph.tensor<[M, K] x f16> {graph.name = "a"}, %b: !graph.tensor<[K, N] x f16> {graph.name = "b"})
    -> !graph.tensor<[M, N] x f16> attributes {graph.program, graph.result = "{0}", graph.hints = {M = 64, K = 64, N = 64}} {
  %r = graph.call "torch.matmul" ["{0}", "{1}"] (%a, %b) : (!graph.tensor<[M, K] x f16>, !graph.tensor<[K, N] x f16>) -> !graph.tensor<[M, N] x f16>
  return %r : !graph.tensor<[M, N] x f16>
}
