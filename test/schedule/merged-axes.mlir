// RUN: nereid-opt %s --schedule=stage=2 --split-input-file | FileCheck %s

// Where all inputs are row-major, two axes that every access walks alike are one: no division. Else the position is
// split.
// CHECK-LABEL: func.func @add_contiguous_kernel
// CHECK-NOT: arith.rem
// CHECK: tile.store
// CHECK-LABEL: func.func @add_kernel
// CHECK: arith.remui
// CHECK: arith.divui
// CHECK: tile.store
func.func @add(%x: !graph.tensor<[M, N] x f32> {graph.name = "x"}, %y: !graph.tensor<[M, N] x f32> {graph.name = "y"})
    -> !graph.tensor<[M, N] x f32> attributes {graph.program, graph.result = "{0}"} {
  %r = graph.add %x, %y : !graph.tensor<[M, N] x f32>
  return %r : !graph.tensor<[M, N] x f32>
}

// -----

// An axis of one element is never split off.
// CHECK-LABEL: func.func @one_kernel
// CHECK-NOT: arith.rem
// CHECK: tile.store
func.func @one(%x: !graph.tensor<[N] x f32> {graph.name = "x"}) -> !graph.tensor<[1, N] x f32>
    attributes {graph.program, graph.result = "{0}"} {
  %b = graph.broadcast %x [1] : !graph.tensor<[N] x f32> -> !graph.tensor<[1, N] x f32>
  %r = graph.exp %b : !graph.tensor<[1, N] x f32>
  return %r : !graph.tensor<[1, N] x f32>
}

// -----

// A row that is repeated needs its own index; what is dense is still addressed by the position.
// CHECK-LABEL: func.func @bias_contiguous_kernel
// CHECK: %[[OFFSETS:.*]] = arith.addi %{{.*}}, %{{.*}} : tensor<1024xi32
// CHECK: arith.remui %[[OFFSETS]]
// CHECK-NOT: arith.div
// CHECK: tile.addptr %{{.*}}, %[[OFFSETS]]
func.func @bias(%x: !graph.tensor<[M, N] x f32> {graph.name = "x"}, %w: !graph.tensor<[N] x f32> {graph.name = "w"})
    -> !graph.tensor<[M, N] x f32> attributes {graph.program, graph.result = "{0}"} {
  %b = graph.broadcast %w [1] : !graph.tensor<[N] x f32> -> !graph.tensor<[M, N] x f32>
  %r = graph.add %x, %b : !graph.tensor<[M, N] x f32>
  return %r : !graph.tensor<[M, N] x f32>
}
