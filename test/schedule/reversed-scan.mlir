// RUN: nereid-opt %s --schedule=stage=3 | FileCheck %s

// A scan between two flips runs from the end: one kernel, and nothing is read backwards where a row is held. In a loop
// the positions are counted from the last one.
// CHECK-LABEL: func.func @rest_kernel
// CHECK: tile.scan reverse
// CHECK: tile.store
// CHECK-LABEL: func.func @rest_long_kernel
// CHECK: scf.for
// CHECK: arith.subi
// CHECK: tile.scan
// CHECK: tile.store
// CHECK-LABEL: func.func @rest(
// CHECK-COUNT-2: host.launch
// CHECK-NOT: host.launch
// CHECK: return
func.func @rest(%x: !graph.tensor<[M, N] x f32> {graph.name = "x"}) -> !graph.tensor<[M, N] x f32>
    attributes {graph.program, graph.result = "{0}"} {
  %f = graph.flip %x [1] : !graph.tensor<[M, N] x f32>
  %s = graph.scan sum %f 1 : !graph.tensor<[M, N] x f32>
  %y = graph.flip %s [1] : !graph.tensor<[M, N] x f32>
  return %y : !graph.tensor<[M, N] x f32>
}

// One reader that goes forwards keeps the scan as it is.
// CHECK-LABEL: func.func @both
// CHECK-NOT: tile.scan reverse
func.func @both(%x: !graph.tensor<[M, N] x f32> {graph.name = "x"}) -> !graph.tensor<[M, N] x f32>
    attributes {graph.program, graph.result = "{0}"} {
  %s = graph.scan sum %x 1 : !graph.tensor<[M, N] x f32>
  %f = graph.flip %s [1] : !graph.tensor<[M, N] x f32>
  %y = graph.sub %f, %s : !graph.tensor<[M, N] x f32>
  return %y : !graph.tensor<[M, N] x f32>
}
