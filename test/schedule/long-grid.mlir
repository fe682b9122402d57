// RUN: nereid-opt %s --schedule=stage=1 | FileCheck %s

// Blocks of rows are the second axis of a grid, whose length is limited: refused before the launch.
// CHECK-LABEL: func.func @f(
// CHECK: host.check <"N <= 4194240">, "an axis is too long for the second axis of a grid"
// CHECK: host.launch {{.*}} grid [#sym.expr<B>, #sym.expr<"cdiv(N, BLOCK_M)">]
func.func @f(%x: !graph.tensor<[B, K, N] x f32> {graph.name = "x"}) -> !graph.tensor<[B, N] x f32>
    attributes {graph.program, graph.result = "{0}"} {
  %s = graph.fold sum %x [1] : !graph.tensor<[B, K, N] x f32> -> !graph.tensor<[B, N] x f32>
  return %s : !graph.tensor<[B, N] x f32>
}
