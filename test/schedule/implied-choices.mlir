// What a masked load gives elsewhere is not chosen once more; a condition that the mask does not ask is.
// RUN: nereid-opt %s --schedule=stage=2 | FileCheck %s

// CHECK-LABEL: func.func @margins_kernel(
// CHECK-NOT: arith.select
// CHECK: tile.load %{{.*}} mask %{{.*}} other
// CHECK-NOT: arith.select
// CHECK: tile.load %{{.*}} mask %{{.*}} other
// CHECK-NOT: arith.select
// CHECK: tile.store
func.func @margins(%x: !graph.tensor<[M, N] x f32> {graph.name = "x"}) -> !graph.tensor<[M, N + 2] x f32> attributes {graph.program, graph.result = "{0}"} {
  %zero = graph.constant 0.0 : f64 -> !graph.tensor<[] x f32>
  %left = graph.pad %x, %zero dim 1 low <0> : !graph.tensor<[M, N] x f32>, !graph.tensor<[] x f32> -> !graph.tensor<[M, N + 2] x f32>
  %right = graph.pad %x, %zero dim 1 low <2> : !graph.tensor<[M, N] x f32>, !graph.tensor<[] x f32> -> !graph.tensor<[M, N + 2] x f32>
  %sum = graph.add %left, %right : !graph.tensor<[M, N + 2] x f32>
  return %sum : !graph.tensor<[M, N + 2] x f32>
}

// The exponential of what is masked is 1, where the padding is 0.
// CHECK-LABEL: func.func @exponential_kernel(
// CHECK: tile.load %{{.*}} mask %{{.*}} other
// CHECK: math.exp
// CHECK: arith.select
// CHECK: tile.store
func.func @exponential(%x: !graph.tensor<[M, N] x f32> {graph.name = "x"}) -> !graph.tensor<[M, N + 2] x f32> attributes {graph.program, graph.result = "{0}"} {
  %zero = graph.constant 0.0 : f64 -> !graph.tensor<[] x f32>
  %e = graph.exp %x : !graph.tensor<[M, N] x f32>
  %padded = graph.pad %e, %zero dim 1 low <1> : !graph.tensor<[M, N] x f32>, !graph.tensor<[] x f32> -> !graph.tensor<[M, N + 2] x f32>
  return %padded : !graph.tensor<[M, N + 2] x f32>
}

// A product of what is 0 elsewhere is 0 there, times a number below 0 it is -0.
// CHECK-LABEL: func.func @product_kernel(
// CHECK-NOT: arith.select
// CHECK: tile.store
func.func @product(%x: !graph.tensor<[M, N] x f32> {graph.name = "x"}, %y: !graph.tensor<[M, N] x f32> {graph.name = "y"}) -> !graph.tensor<[M, N + 2] x f32> attributes {graph.program, graph.result = "{0}"} {
  %zero = graph.constant 0.0 : f64 -> !graph.tensor<[] x f32>
  %p = graph.mul %x, %y : !graph.tensor<[M, N] x f32>
  %padded = graph.pad %p, %zero dim 1 low <1> : !graph.tensor<[M, N] x f32>, !graph.tensor<[] x f32> -> !graph.tensor<[M, N + 2] x f32>
  return %padded : !graph.tensor<[M, N + 2] x f32>
}

// CHECK-LABEL: func.func @negated_kernel(
// CHECK: arith.select
// CHECK: tile.store
func.func @negated(%x: !graph.tensor<[M, N] x f32> {graph.name = "x"}) -> !graph.tensor<[M, N + 2] x f32> attributes {graph.program, graph.result = "{0}"} {
  %zero = graph.constant 0.0 : f64 -> !graph.tensor<[] x f32>
  %number = graph.constant -2.0 : f64 -> !graph.tensor<[] x f32>
  %factor = graph.broadcast %number [] : <[] x f32> -> <[M, N] x f32>
  %p = graph.mul %x, %factor : !graph.tensor<[M, N] x f32>
  %padded = graph.pad %p, %zero dim 1 low <1> : !graph.tensor<[M, N] x f32>, !graph.tensor<[] x f32> -> !graph.tensor<[M, N + 2] x f32>
  return %padded : !graph.tensor<[M, N + 2] x f32>
}
