// RUN: nereid-opt %s --schedule=stage=2 | FileCheck %s

// The greatest element and its index are folded together; beyond the row lie the neutral element and greater indices,
// so that the first index wins a tie.
// CHECK-LABEL: func.func @where_kernel
// CHECK: arith.constant 2147483647 : i32
// CHECK: scf.for
// CHECK: tile.load {{.*}} other
// CHECK: scf.yield %{{.*}}, %{{.*}}
// CHECK: tile.reduce 0(%{{.*}}, %{{.*}})
// CHECK: ^bb0(%{{.*}}: f32, %[[I:.*]]: i32, %{{.*}}: f32, %[[J:.*]]: i32)
// CHECK: arith.cmpi slt, %[[I]], %[[J]]
// CHECK: tile.yield
// CHECK: arith.extsi {{.*}} : i32 to i64
func.func @where(%x: !graph.tensor<[M, N] x f32> {graph.name = "x"}) -> !graph.tensor<[M] x i64>
    attributes {graph.program, graph.result = "{0}"} {
  %m = graph.fold argmax %x [1] : !graph.tensor<[M, N] x f32> -> !graph.tensor<[M] x i64>
  return %m : !graph.tensor<[M] x i64>
}
