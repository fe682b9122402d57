// RUN: nereid-opt %s --schedule=stage=2 | FileCheck %s

// A group is a row though the result has no such axis: the channels are cut into groups, and the
// check makes their number a multiple. One kernel, no division but for the axes themselves.
// CHECK-LABEL: func.func @group_contiguous_kernel(
// CHECK-NOT: arith.div{{.}}i
// CHECK-NOT: arith.rem{{.}}i
// CHECK: tile.reduce
// CHECK: tile.store
// CHECK-LABEL: func.func @group(
// CHECK: host.check <"C % 8 == 0">
// CHECK: host.launch @group_contiguous_kernel grid [#sym.expr<8*B>]({{.*}}) meta {BLOCK_N = #sym.expr<"next_power_of_2(max(M * (C // 8), 1))">}
func.func @group(%x: !graph.tensor<[B, C, M] x f32> {graph.name = "x"}) -> !graph.tensor<[B, C, M] x f32>
    attributes {graph.program, graph.result = "{0}"} {
  graph.check <"C % 8 == 0">, "channels are no groups"
  %g = graph.reshape %x : <[B, C, M] x f32> -> <[B, 8, "C * M // 8"] x f32>
  %s = graph.fold max %g [2] : <[B, 8, "C * M // 8"] x f32> -> <[B, 8] x f32>
  %b = graph.broadcast %s [0, 1] : <[B, 8] x f32> -> <[B, 8, "C * M // 8"] x f32>
  %d = graph.sub %g, %b : <[B, 8, "C * M // 8"] x f32>
  %r = graph.reshape %d : <[B, 8, "C * M // 8"] x f32> -> <[B, C, M] x f32>
  return %r : !graph.tensor<[B, C, M] x f32>
}

// The view's own condition tells it too; what only tensors without elements could break is checked.
// CHECK-LABEL: func.func @quantize_kernel(
// CHECK: tile.reduce
// CHECK-NOT: tile.reduce
// CHECK-LABEL: func.func @quantize(
// CHECK: host.check <"N % 128 == 0">
func.func @quantize(%x: !graph.tensor<[M, N] x f32> {graph.name = "x"})
    -> (!graph.tensor<[M, N] x f32>, !graph.tensor<[M, "N // 128"] x f32>)
    attributes {graph.program, graph.result = "({0}, {1})"} {
  graph.check <"M * N == 128 * M * (N // 128)">, "the shape of a reshape does not hold M * N elements"
  %g = graph.reshape %x : <[M, N] x f32> -> <[M, "N // 128", 128] x f32>
  %s = graph.fold max %g [2] : <[M, "N // 128", 128] x f32> -> <[M, "N // 128"] x f32>
  %b = graph.broadcast %s [0, 1] : <[M, "N // 128"] x f32> -> <[M, "N // 128", 128] x f32>
  %d = graph.div %g, %b : <[M, "N // 128", 128] x f32>
  %r = graph.reshape %d : <[M, "N // 128", 128] x f32> -> <[M, N] x f32>
  return %r, %s : !graph.tensor<[M, N] x f32>, !graph.tensor<[M, "N // 128"] x f32>
}

// A fold over an axis that a view has merged shares the columns of the result, which has the axes.
// CHECK-LABEL: func.func @spatial_contiguous_kernel(
// CHECK-NOT: BLOCK_N2
// CHECK-LABEL: func.func @spatial(
func.func @spatial(%x: !graph.tensor<[B, H, W] x f32> {graph.name = "x"}) -> !graph.tensor<[B, H, W] x f32>
    attributes {graph.program, graph.result = "{0}"} {
  %f = graph.reshape %x : <[B, H, W] x f32> -> <[B, "H * W"] x f32>
  %s = graph.fold sum %f [1] : <[B, "H * W"] x f32> -> <[B] x f32>
  %b = graph.broadcast %s [0] : <[B] x f32> -> <[B, H, W] x f32>
  %r = graph.sub %x, %b : <[B, H, W] x f32>
  return %r : !graph.tensor<[B, H, W] x f32>
}
