// RUN: nereid-opt %s --schedule=stage=2 | FileCheck %s

// A mutated input is written where it lies if its old elements are read by the lanes that write new
// ones alone; else it is assigned at the end: every kernel before reads what it was.
// CHECK-LABEL: func.func @step(
// CHECK-SAME: host.in_place
// CHECK-SAME: host.read_beside
// CHECK-NOT: host.assign
// CHECK-LABEL: func.func @turn(
// CHECK: host.launch
// CHECK-NOT: host.assign
// CHECK: host.assign %arg0, %{{.*}}
// CHECK-NEXT: return
func.func @step(%x: !graph.tensor<[N] x f32> {graph.name = "x"}, %g: !graph.tensor<[N] x f32> {graph.name = "g"})
    -> !graph.tensor<[N] x f32> attributes {graph.program, graph.result = "{0}"} {
  %y = graph.sub %x, %g : !graph.tensor<[N] x f32>
  graph.assign %x, %y : !graph.tensor<[N] x f32>
  %r = graph.mul %x, %y : !graph.tensor<[N] x f32>
  return %r : !graph.tensor<[N] x f32>
}

func.func @turn(%x: !graph.tensor<[N] x f32> {graph.name = "x"}) attributes {graph.program, graph.result = "None"} {
  %y = graph.flip %x [0] : !graph.tensor<[N] x f32>
  graph.assign %x, %y : !graph.tensor<[N] x f32>
  return
}
