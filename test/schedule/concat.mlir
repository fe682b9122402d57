// RUN: nereid-opt %s --schedule=stage=2 | FileCheck %s

// Each part is loaded where it is the one; a pointwise operator after it costs no second kernel.
// CHECK-LABEL: func.func @join_kernel
// CHECK: %[[FIRST:.*]] = arith.cmpi slt
// CHECK: tile.load {{.*}} other
// CHECK: tile.load {{.*}} other
// CHECK: arith.select
// CHECK: math.exp
// CHECK: tile.store
// CHECK-LABEL: func.func @join(
// CHECK-COUNT-1: host.launch
// CHECK-NOT: host.launch
func.func @join(%x: !graph.tensor<[M] x f32> {graph.name = "x"}, %y: !graph.tensor<[N] x f32> {graph.name = "y"})
    -> !graph.tensor<[M + N] x f32> attributes {graph.program, graph.result = "{0}"} {
  %c = graph.concat %x, %y dim 0 : !graph.tensor<[M] x f32>, !graph.tensor<[N] x f32> -> !graph.tensor<[M + N] x f32>
  %r = graph.exp %c : !graph.tensor<[M + N] x f32>
  return %r : !graph.tensor<[M + N] x f32>
}
