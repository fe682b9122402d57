// RUN: not nereid-opt %s --add-backward --schedule=stage=2 2>&1 | FileCheck %s
// RUN: nereid-opt %s --add-backward | FileCheck %s --check-prefix=GRAPH

// The gradient of a gather is a scatter, which the scheduler refuses by name.

// CHECK: error: 'graph.scatter' op cannot be scheduled yet
// GRAPH-LABEL: func.func @f_backward(
// GRAPH: graph.scatter
func.func @f(%x: !graph.tensor<[M, N] x f32> {graph.name = "x"}, %i: !graph.tensor<[K, N] x i64> {graph.name = "i"}) -> !graph.tensor<[K, N] x f32> attributes {graph.program, graph.result = "{0}"} {
  %r = graph.gather %x [%i] dim 0 : !graph.tensor<[M, N] x f32>, !graph.tensor<[K, N] x i64> -> !graph.tensor<[K, N] x f32>
  return %r : !graph.tensor<[K, N] x f32>
}
