// RUN: nereid-opt %s --schedule=stage=2 | FileCheck %s

// A pad along the rows of a fold has rows that the fold does not have: the folds stay in a kernel over their own rows.
// CHECK-LABEL: func.func @f(
// CHECK: host.launch @{{.*}}kernel grid [#sym.expr<M>]
// CHECK: host.launch @{{.*}}kernel grid [#sym.expr<"cdiv
func.func @f(%x: !graph.tensor<[M, N] x f32> {graph.name = "x"}) -> !graph.tensor<[M + 1, N] x f32>
    attributes {graph.program, graph.result = "{0}"} {
  %m = graph.fold max %x [1] : !graph.tensor<[M, N] x f32> -> !graph.tensor<[M] x f32>
  %b = graph.broadcast %m [0] : !graph.tensor<[M] x f32> -> !graph.tensor<[M, N] x f32>
  %c = graph.sub %x, %b : !graph.tensor<[M, N] x f32>
  %zero = graph.constant 0.0 : f64 -> !graph.tensor<[] x f32>
  %y = graph.pad %c, %zero dim 0 low <0> : !graph.tensor<[M, N] x f32>, !graph.tensor<[] x f32> -> !graph.tensor<[M + 1, N] x f32>
  return %y : !graph.tensor<[M + 1, N] x f32>
}
