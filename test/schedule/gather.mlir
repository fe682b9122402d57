// RUN: nereid-opt %s --schedule=stage=2 --split-input-file | FileCheck %s

// The index is loaded where the result is; what it points at only where it lies within the axis.
// CHECK-LABEL: func.func @pick_kernel
// CHECK: %[[INDEX:.*]] = tile.load
// CHECK: %[[ABOVE:.*]] = arith.cmpi sge, %[[INDEX]]
// CHECK: %[[BELOW:.*]] = arith.cmpi slt, %[[INDEX]]
// CHECK: %[[INSIDE:.*]] = arith.andi
// CHECK: tile.load %{{.*}} mask %{{.*}} other
func.func @pick(%x: !graph.tensor<[V] x f32> {graph.name = "x"}, %i: !graph.tensor<[N] x i64> {graph.name = "i"})
    -> !graph.tensor<[N] x f32> attributes {graph.program, graph.result = "{0}"} {
  %r = graph.gather %x [%i] dim 0 : !graph.tensor<[V] x f32>, !graph.tensor<[N] x i64> -> !graph.tensor<[N] x f32>
  return %r : !graph.tensor<[N] x f32>
}

// -----

// Unsigned indices keep their value.
// CHECK-LABEL: func.func @bytes_kernel
// CHECK: arith.extui {{.*}}xi8{{.*}} to {{.*}}xi64
func.func @bytes(%x: !graph.tensor<[V] x f32> {graph.name = "x"}, %i: !graph.tensor<[N] x ui8> {graph.name = "i"})
    -> !graph.tensor<[N] x f32> attributes {graph.program, graph.result = "{0}"} {
  %r = graph.gather %x [%i] dim 0 : !graph.tensor<[V] x f32>, !graph.tensor<[N] x ui8> -> !graph.tensor<[N] x f32>
  return %r : !graph.tensor<[N] x f32>
}
