// RUN: nereid-opt %s --schedule=stage=3 | FileCheck %s

// Halves are divided by the row's length by way of its reciprocal, which a root cannot bring to the end of the range.
// CHECK-LABEL: func.func @halves_kernel
// CHECK: %[[LENGTH:.*]] = math.sqrt
// CHECK: arith.divf %{{.*}}, %[[LENGTH]]
// CHECK-NOT: arith.divf
// CHECK: return
func.func @halves(%x: !graph.tensor<[M, N] x bf16> {graph.name = "x"}) -> !graph.tensor<[M, N] x bf16>
    attributes {graph.program, graph.result = "{0}", graph.hints = {M = 4096 : i64, N = 4096 : i64}} {
  %w = graph.cast %x : !graph.tensor<[M, N] x bf16> -> !graph.tensor<[M, N] x f32>
  %q = graph.mul %w, %w : !graph.tensor<[M, N] x f32>
  %s = graph.fold sum %q [1] : !graph.tensor<[M, N] x f32> -> !graph.tensor<[M] x f32>
  %l = graph.sqrt %s : !graph.tensor<[M] x f32>
  %b = graph.broadcast %l [0] : !graph.tensor<[M] x f32> -> !graph.tensor<[M, N] x f32>
  %y = graph.div %w, %b : !graph.tensor<[M, N] x f32>
  %h = graph.cast %y : !graph.tensor<[M, N] x f32> -> !graph.tensor<[M, N] x bf16>
  return %h : !graph.tensor<[M, N] x bf16>
}

// A sum may be so small that its reciprocal is infinite; and float32 would show the second rounding.
// CHECK-LABEL: func.func @sums_kernel
// CHECK: tile.reduce
// CHECK: arith.divf {{.*}} tensor
func.func @sums(%x: !graph.tensor<[M, N] x bf16> {graph.name = "x"}) -> !graph.tensor<[M, N] x bf16>
    attributes {graph.program, graph.result = "{0}", graph.hints = {M = 4096 : i64, N = 4096 : i64}} {
  %w = graph.cast %x : !graph.tensor<[M, N] x bf16> -> !graph.tensor<[M, N] x f32>
  %s = graph.fold sum %w [1] : !graph.tensor<[M, N] x f32> -> !graph.tensor<[M] x f32>
  %b = graph.broadcast %s [0] : !graph.tensor<[M] x f32> -> !graph.tensor<[M, N] x f32>
  %y = graph.div %w, %b : !graph.tensor<[M, N] x f32>
  %h = graph.cast %y : !graph.tensor<[M, N] x f32> -> !graph.tensor<[M, N] x bf16>
  return %h : !graph.tensor<[M, N] x bf16>
}
