// RUN: nereid-opt %s --add-backward -split-input-file | FileCheck %s

// The gradient of a gather is a sum by places, and that of a sum by places a gather.

// CHECK-LABEL: func.func @gathered_backward(
// CHECK: graph.scatter sum %{{.*}}[%{{.*}}] dim 0 :
func.func @gathered(%x: !graph.tensor<[M, N] x f32> {graph.name = "x"}, %i: !graph.tensor<[K, N] x i64> {graph.name = "i"}) -> !graph.tensor<[K, N] x f32> attributes {graph.program, graph.result = "{0}"} {
  %r = graph.gather %x [%i] dim 0 : !graph.tensor<[M, N] x f32>, !graph.tensor<[K, N] x i64> -> !graph.tensor<[K, N] x f32>
  return %r : !graph.tensor<[K, N] x f32>
}

// -----

// CHECK-LABEL: func.func @summed_backward(
// CHECK: graph.gather
func.func @summed(%u: !graph.tensor<[K] x f32> {graph.name = "u"}, %i: !graph.tensor<[K] x i64> {graph.name = "i"}) -> !graph.tensor<[N] x f32> attributes {graph.program, graph.result = "{0}"} {
  %r = graph.scatter sum %u [%i] dim 0 : !graph.tensor<[K] x f32>, !graph.tensor<[K] x i64> -> !graph.tensor<[N] x f32>
  return %r : !graph.tensor<[N] x f32>
}

// -----

// The greatest shares among those that reach it.
// CHECK-LABEL: func.func @greatest_backward(
// CHECK: graph.eq
// CHECK: graph.scatter sum
// CHECK: graph.div
func.func @greatest(%u: !graph.tensor<[K] x f32> {graph.name = "u"}, %i: !graph.tensor<[K] x i64> {graph.name = "i"}) -> !graph.tensor<[N] x f32> attributes {graph.program, graph.result = "{0}"} {
  %r = graph.scatter max %u [%i] dim 0 : !graph.tensor<[K] x f32>, !graph.tensor<[K] x i64> -> !graph.tensor<[N] x f32>
  return %r : !graph.tensor<[N] x f32>
}

// -----

// A segment's gradient finds the segment of each row by a search.
// CHECK-LABEL: func.func @runs_backward(
// CHECK: graph.search %{{.*}}, %{{.*}} right
// CHECK: graph.gather
func.func @runs(%a: !graph.tensor<[K, N] x f32> {graph.name = "a"}, %b: !graph.tensor<[M + 1] x i64> {graph.name = "b"}) -> !graph.tensor<[M, N] x f32> attributes {graph.program, graph.result = "{0}"} {
  %r = graph.segment sum %a [%b] : !graph.tensor<[K, N] x f32>, !graph.tensor<[M + 1] x i64> -> !graph.tensor<[M, N] x f32>
  return %r : !graph.tensor<[M, N] x f32>
}

// -----

// Windows that do not overlap: views; others: a sum over the places of a window.
// CHECK-LABEL: func.func @apart_backward(
// CHECK-NOT: graph.gather
// CHECK: return
func.func @apart(%a: !graph.tensor<[2*N] x f32> {graph.name = "a"}) -> !graph.tensor<[N, 2] x f32> attributes {graph.program, graph.result = "{0}"} {
  %r = graph.window %a dim 0 step 2 : !graph.tensor<[2*N] x f32> -> !graph.tensor<[N, 2] x f32>
  return %r : !graph.tensor<[N, 2] x f32>
}

// -----

// CHECK-LABEL: func.func @overlapping_backward(
// CHECK: graph.gather
// CHECK: graph.fold sum
func.func @overlapping(%a: !graph.tensor<[N + 2] x f32> {graph.name = "a"}) -> !graph.tensor<[N, 3] x f32> attributes {graph.program, graph.result = "{0}"} {
  %r = graph.window %a dim 0 step 1 : !graph.tensor<[N + 2] x f32> -> !graph.tensor<[N, 3] x f32>
  return %r : !graph.tensor<[N, 3] x f32>
}
