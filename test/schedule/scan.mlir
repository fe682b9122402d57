// RUN: nereid-opt %s --schedule=stage=2 -split-input-file | FileCheck %s

// Prefixes of a whole row at once; of a long row block by block, with what came before carried.
// CHECK-LABEL: func.func @prefix_kernel
// CHECK: tile.scan
// CHECK-NOT: scf.for
// CHECK: tile.store
// CHECK-LABEL: func.func @prefix_long_kernel
// CHECK: scf.for {{.*}} iter_args(%[[CARRY:.*]] = %{{.*}}) -> (f32)
// CHECK: %[[SCAN:.*]] = tile.scan
// CHECK: %[[BEFORE:.*]] = tile.splat %[[CARRY]]
// CHECK: %[[PREFIX:.*]] = arith.addf %[[BEFORE]], %[[SCAN]]
// CHECK: tile.store %{{.*}}, %[[PREFIX]] mask
// CHECK: %[[TOTAL:.*]] = tile.reduce
// CHECK: %[[NEXT:.*]] = arith.addf %[[CARRY]], %[[TOTAL]]
// CHECK: scf.yield %[[NEXT]]
func.func @prefix(%x: !graph.tensor<[M, N] x f32> {graph.name = "x"}) -> !graph.tensor<[M, N] x f32>
    attributes {graph.program, graph.result = "{0}"} {
  %y = graph.scan sum %x 1 : !graph.tensor<[M, N] x f32>
  return %y : !graph.tensor<[M, N] x f32>
}

// -----

// A sum of exponentials is combined by its logarithms, from -inf on.
// CHECK-LABEL: func.func @logarithms_kernel
// CHECK: tile.scan
// CHECK: %[[GREATEST:.*]] = arith.maximumf %[[A:.*]], %[[B:.*]] : f32
// CHECK: %[[DISTANCE:.*]] = arith.subf %[[A]], %[[B]]
// CHECK: math.log1p
// CHECK: arith.addf %[[GREATEST]]
// CHECK-LABEL: func.func @logarithms_long_kernel
// CHECK: %[[NONE:.*]] = arith.constant 0xFF800000 : f32
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %[[NONE]]) -> (f32)
// The function that combines has its own constants.
// CHECK: tile.reduce
// CHECK: ^bb0
// CHECK-NEXT: arith.constant 0.000000e+00
func.func @logarithms(%x: !graph.tensor<[M, N] x f32> {graph.name = "x"}) -> !graph.tensor<[M, N] x f32>
    attributes {graph.program, graph.result = "{0}"} {
  %y = graph.scan logsum %x 1 : !graph.tensor<[M, N] x f32>
  return %y : !graph.tensor<[M, N] x f32>
}

// -----

// The last element first; where a flag holds, the sum starts again. In a long row blocks are taken from the end.
// CHECK-LABEL: func.func @rests_kernel
// CHECK: tile.scan reverse 0(
// CHECK-NOT: scf.for
// CHECK-LABEL: func.func @rests_long_kernel
// CHECK: scf.for {{.*}} iter_args(%[[CARRY:.*]] = %{{.*}}) -> (f32)
// CHECK: %{{.*}}:2 = tile.scan 0(
// CHECK: arith.select
// CHECK: scf.yield
func.func @rests(%x: !graph.tensor<[M, N] x f32> {graph.name = "x"}, %s: !graph.tensor<[M, N] x i1> {graph.name = "s"})
    -> !graph.tensor<[M, N] x f32> attributes {graph.program, graph.result = "{0}"} {
  %y = graph.scan sum %x [%s] 1 reverse : !graph.tensor<[M, N] x f32>, !graph.tensor<[M, N] x i1>
  return %y : !graph.tensor<[M, N] x f32>
}
