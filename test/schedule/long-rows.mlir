// RUN: nereid-opt %s --schedule=stage=2 | FileCheck %s
// RUN: nereid-opt %s --schedule=stage=1 | FileCheck %s --check-prefix=NAIVE

// A row is read once where it fits, else again in a second loop; the wrapper decides.
// CHECK-LABEL: func.func @center_kernel
// CHECK-COUNT-1: tile.load
// CHECK-NOT: tile.load
// CHECK: tile.store
// CHECK-LABEL: func.func @center_long_kernel
// CHECK: scf.for
// CHECK: tile.load
// CHECK: scf.yield
// CHECK: tile.reduce
// CHECK: scf.for
// CHECK: tile.load
// CHECK: tile.store
// CHECK-LABEL: func.func @center(
// CHECK: host.cond <"N <= 32768">
// CHECK: next_power_of_2
// Stage 1 has one form: loops.
// NAIVE-NOT: host.cond
func.func @center(%x: !graph.tensor<[M, N] x f32> {graph.name = "x"}) -> !graph.tensor<[M, N] x f32>
    attributes {graph.program, graph.result = "{0}", graph.hints = {M = 4096 : i64, N = 4096 : i64}} {
  %s = graph.fold sum %x [1] : !graph.tensor<[M, N] x f32> -> !graph.tensor<[M] x f32>
  %b = graph.broadcast %s [0] : !graph.tensor<[M] x f32> -> !graph.tensor<[M, N] x f32>
  %y = graph.sub %x, %b : !graph.tensor<[M, N] x f32>
  return %y : !graph.tensor<[M, N] x f32>
}
