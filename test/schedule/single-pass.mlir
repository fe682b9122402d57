// RUN: nereid-opt %s --schedule=stage=3 | FileCheck %s

// A row that loops read once has no kernel that holds it: that would read no less. A row that is read again has one.
// CHECK-NOT: long_kernel
// CHECK-LABEL: func.func @logsumexp(
// CHECK-NOT: host.cond
// CHECK: host.launch @logsumexp_kernel
// CHECK-NOT: host.cond
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

// CHECK-LABEL: func.func @center_kernel(
// CHECK-LABEL: func.func @center_long_kernel(
// CHECK-LABEL: func.func @center(
// CHECK: host.cond <"N <= 32768">
func.func @center(%x: !graph.tensor<[M, N] x f32> {graph.name = "x"}) -> !graph.tensor<[M, N] x f32>
    attributes {graph.program, graph.result = "{0}", graph.hints = {M = 4096 : i64, N = 32000 : i64}} {
  %s = graph.fold sum %x [1] : !graph.tensor<[M, N] x f32> -> !graph.tensor<[M] x f32>
  %b = graph.broadcast %s [0] : !graph.tensor<[M] x f32> -> !graph.tensor<[M, N] x f32>
  %y = graph.sub %x, %b : !graph.tensor<[M, N] x f32>
  return %y : !graph.tensor<[M, N] x f32>
}

// Prefix sums of a row held whole need not wait for those before.
// CHECK-LABEL: func.func @cumsum(
// CHECK: host.cond <"N <= 32768">
func.func @cumsum(%x: !graph.tensor<[M, N] x f32> {graph.name = "x"}) -> !graph.tensor<[M, N] x f32>
    attributes {graph.program, graph.result = "{0}", graph.hints = {M = 4096 : i64, N = 4096 : i64}} {
  %s = graph.scan sum %x 1 : !graph.tensor<[M, N] x f32>
  return %s : !graph.tensor<[M, N] x f32>
}
