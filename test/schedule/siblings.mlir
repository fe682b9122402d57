// RUN: nereid-opt %s --schedule=stage=2 | FileCheck %s
// RUN: nereid-opt %s --schedule=stage=1 | FileCheck %s --check-prefix=NAIVE

// Two folds of one input share a kernel and its one load.
// CHECK-LABEL: func.func @both_kernel
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}})
// CHECK-COUNT-1: tile.load
// CHECK-NOT: scf.for
// CHECK-NOT: tile.load
// CHECK-COUNT-2: tile.reduce
// CHECK-COUNT-2: tile.store
// NAIVE-LABEL: func.func @both(
// NAIVE-COUNT-2: host.launch
func.func @both(%x: !graph.tensor<[M, N] x f32> {graph.name = "x"})
    -> (!graph.tensor<[M] x f32>, !graph.tensor<[M] x f32>) attributes {graph.program, graph.result = "({0}, {1})"} {
  %s = graph.fold sum %x [1] : !graph.tensor<[M, N] x f32> -> !graph.tensor<[M] x f32>
  %m = graph.fold min %x [1] : !graph.tensor<[M, N] x f32> -> !graph.tensor<[M] x f32>
  return %s, %m : !graph.tensor<[M] x f32>, !graph.tensor<[M] x f32>
}
