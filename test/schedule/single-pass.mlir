// RUN: nereid-opt %s --schedule=stage=3 | FileCheck %s

// A row that one loop reads once is not held in registers where few programs could hold one: others compute while some
// wait for memory. A row that is read again is.
// CHECK-LABEL: func.func @logsumexp(
// CHECK: host.cond <"N <= 16384">
func.func @logsumexp(%x: !graph.tensor<[M, N] x f32> {graph.name = "x"}) -> !graph.tensor<[M] x f32>
    attributes {graph.program, graph.result = "{0}", graph.hints = {M = 4096 : i64, N = 32000 : i64}} {
  %m = graph.fold max %x [1] : !graph.tensor<[M, N] x f32> -> !graph.tensor<[M] x f32>
  %mb = graph.broadcast %m [0] : !graph.tensor<[M] x f32> -> !graph.tensor<[M, N] x f32>
  %c = graph.sub %x, %mb : !graph.tensor<[M, N] x f32>
  %e = graph.exp %c : !graph.tensor<[M, N] x f32>
  %s = graph.fold sum %e [1] : !graph.tensor<[M, N] x f32> -> !graph.tensor<[M] x f32>
  %log = graph.log %s : !graph.tensor<[M] x f32>
  %y = graph.add %log, %m : !graph.tensor<[M] x f32>
  return %y : !graph.tensor<[M] x f32>
}

// CHECK-LABEL: func.func @center(
// CHECK: host.cond <"N <= 32768">
func.func @center(%x: !graph.tensor<[M, N] x f32> {graph.name = "x"}) -> !graph.tensor<[M, N] x f32>
    attributes {graph.program, graph.result = "{0}", graph.hints = {M = 4096 : i64, N = 32000 : i64}} {
  %s = graph.fold sum %x [1] : !graph.tensor<[M, N] x f32> -> !graph.tensor<[M] x f32>
  %b = graph.broadcast %s [0] : !graph.tensor<[M] x f32> -> !graph.tensor<[M, N] x f32>
  %y = graph.sub %x, %b : !graph.tensor<[M, N] x f32>
  return %y : !graph.tensor<[M, N] x f32>
}
