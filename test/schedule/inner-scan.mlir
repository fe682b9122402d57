// RUN: nereid-opt %s --schedule=stage=3 -split-input-file | FileCheck %s

// What reads the prefixes of a row that is held whole has them in its own kernel. The prefixes one place behind are
// those of the elements one place behind, with nothing before the first. Longer rows store the prefixes first.
// CHECK-LABEL: func.func @weighted_kernel
// CHECK: tile.load
// CHECK: tile.scan
// CHECK-NOT: tile.load
// CHECK: tile.reduce
// CHECK-LABEL: func.func @weighted_apart_kernel
// CHECK: tile.scan
// CHECK-LABEL: func.func @weighted2_apart_kernel
// CHECK-NOT: tile.scan
// CHECK-LABEL: func.func @weighted(
// CHECK: host.if
// CHECK: host.launch @weighted_kernel
// CHECK: } else {
// CHECK: host.empty
// CHECK: host.launch @weighted_apart_kernel
// CHECK: host.launch @weighted2_apart_kernel
func.func @weighted(%x: !graph.tensor<[M, N] x f32> {graph.name = "x"})
    -> !graph.tensor<[M] x f32> attributes {graph.program, graph.result = "{0}"} {
  %s = graph.scan sum %x 1 : !graph.tensor<[M, N] x f32>
  %y = graph.mul %x, %s : !graph.tensor<[M, N] x f32>
  %r = graph.fold sum %y [1] : !graph.tensor<[M, N] x f32> -> !graph.tensor<[M] x f32>
  return %r : !graph.tensor<[M] x f32>
}

// -----

// Prefixes one place behind are those of the elements one place behind; the load's mask says where there are none.
// CHECK-LABEL: func.func @before_kernel
// CHECK: %[[X:.*]] = tile.load {{.*}} mask {{.*}} other
// CHECK-NOT: arith.select
// CHECK: tile.scan {{.*}}(%[[X]])
func.func @before(%x: !graph.tensor<[M, N] x f32> {graph.name = "x"})
    -> !graph.tensor<[M, N] x f32> attributes {graph.program, graph.result = "{0}"} {
  %s = graph.scan sum %x 1 : !graph.tensor<[M, N] x f32>
  graph.check <"N >= 1">, "a requirement does not hold"
  %h = graph.slice %s dim 1 start <0> step 1 : !graph.tensor<[M, N] x f32> -> !graph.tensor<[M, N - 1] x f32>
  %z = graph.constant 0.0 : f64 -> <[] x f32>
  %y = graph.pad %h, %z dim 1 low <1> : !graph.tensor<[M, N - 1] x f32>, !graph.tensor<[] x f32> -> !graph.tensor<[M, N] x f32>
  return %y : !graph.tensor<[M, N] x f32>
}
