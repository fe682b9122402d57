// RUN: nereid-opt %s -split-input-file --schedule=stage=3 | FileCheck %s
// RUN: nereid-opt %s -split-input-file --schedule=stage=2 | FileCheck %s --check-prefix=APART

// Neighbours that are read apart are read by one load, which is split.
// CHECK-LABEL: func.func @gated_contiguous_kernel
// CHECK: %[[PTRS:.*]] = tile.addptr {{.*}} : tensor<{{.*}}x2x!tile.ptr<f32>
// CHECK: %[[BOTH:.*]] = tile.load %[[PTRS]] mask
// CHECK: %[[EVEN:.*]], %[[ODD:.*]] = tile.split %[[BOTH]]
// CHECK-NOT: tile.load
// CHECK: arith.mulf %[[EVEN]], %[[ODD]]
// CHECK-NOT: tile.load
// CHECK: return
// APART-NOT: tile.split
func.func @gated(%x: !graph.tensor<[M, 2*N] x f32> {graph.name = "x"}) -> !graph.tensor<[M, N] x f32>
    attributes {graph.program, graph.result = "{0}"} {
  %even = graph.slice %x dim 1 start <0> step 2 : !graph.tensor<[M, 2*N] x f32> -> !graph.tensor<[M, N] x f32>
  %odd = graph.slice %x dim 1 start <1> step 2 : !graph.tensor<[M, 2*N] x f32> -> !graph.tensor<[M, N] x f32>
  %0 = graph.mul %even, %odd : !graph.tensor<[M, N] x f32>
  return %0 : !graph.tensor<[M, N] x f32>
}

// -----

// The second one is read first.
// CHECK-LABEL: func.func @turned_contiguous_kernel
// CHECK: %[[BOTH:.*]] = tile.load
// CHECK: %[[EVEN:.*]], %[[ODD:.*]] = tile.split %[[BOTH]]
// CHECK: arith.subf %[[ODD]], %[[EVEN]]
// CHECK-NOT: tile.load
// CHECK: return
func.func @turned(%x: !graph.tensor<[M, 2*N] x f32> {graph.name = "x"}) -> !graph.tensor<[M, N] x f32>
    attributes {graph.program, graph.result = "{0}"} {
  %odd = graph.slice %x dim 1 start <1> step 2 : !graph.tensor<[M, 2*N] x f32> -> !graph.tensor<[M, N] x f32>
  %even = graph.slice %x dim 1 start <0> step 2 : !graph.tensor<[M, 2*N] x f32> -> !graph.tensor<[M, N] x f32>
  %0 = graph.sub %odd, %even : !graph.tensor<[M, N] x f32>
  return %0 : !graph.tensor<[M, N] x f32>
}

// -----

// Elements two apart are no neighbours, and neither are neighbours every third of which is read.
// CHECK-LABEL: func.func @apart_contiguous_kernel
// CHECK-NOT: tile.split
// CHECK: return
func.func @apart(%x: !graph.tensor<[M, 4*N] x f32> {graph.name = "x"}) -> !graph.tensor<[M, N] x f32>
    attributes {graph.program, graph.result = "{0}"} {
  %a = graph.slice %x dim 1 start <0> step 4 : !graph.tensor<[M, 4*N] x f32> -> !graph.tensor<[M, N] x f32>
  %b = graph.slice %x dim 1 start <2> step 4 : !graph.tensor<[M, 4*N] x f32> -> !graph.tensor<[M, N] x f32>
  %0 = graph.mul %a, %b : !graph.tensor<[M, N] x f32>
  return %0 : !graph.tensor<[M, N] x f32>
}

// -----

// CHECK-LABEL: func.func @thirds_contiguous_kernel
// CHECK-NOT: tile.split
// CHECK: return
func.func @thirds(%x: !graph.tensor<[M, 3*N] x f32> {graph.name = "x"}) -> !graph.tensor<[M, N] x f32>
    attributes {graph.program, graph.result = "{0}"} {
  %a = graph.slice %x dim 1 start <0> step 3 : !graph.tensor<[M, 3*N] x f32> -> !graph.tensor<[M, N] x f32>
  %b = graph.slice %x dim 1 start <1> step 3 : !graph.tensor<[M, 3*N] x f32> -> !graph.tensor<[M, N] x f32>
  %0 = graph.mul %a, %b : !graph.tensor<[M, N] x f32>
  return %0 : !graph.tensor<[M, N] x f32>
}
