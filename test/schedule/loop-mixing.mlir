// A loop that moves the elements of its state around is refused with its place.
// RUN: nereid-opt %s --schedule=stage=2 -verify-diagnostics

func.func @roll(%h0: !graph.tensor<[B] x f32> {graph.name = "h0"}, %x: !graph.tensor<[T, B] x f32> {graph.name = "x"}) -> !graph.tensor<[B] x f32> attributes {graph.program, graph.result = "{0}"} {
  // expected-error @+2 {{the turns of this loop mix the elements of what they carry, or fold over them, which is not supported yet}}
  // expected-note @+1 {{help: fix the number of turns}}
  %h = graph.loop <T>(%h0) over (%x) with () : (!graph.tensor<[B] x f32>, !graph.tensor<[T, B] x f32>) -> !graph.tensor<[B] x f32> {
  ^bb0(%s: !graph.tensor<[B] x f32>, %v: !graph.tensor<[B] x f32>):
    %f = graph.flip %s [0] : !graph.tensor<[B] x f32>
    %n = graph.add %f, %v : !graph.tensor<[B] x f32>
    %k = graph.slice %n dim 0 start <1> step 1 : !graph.tensor<[B] x f32> -> !graph.tensor<[B - 1] x f32>
    %o = graph.slice %n dim 0 start <0> step 1 : !graph.tensor<[B] x f32> -> !graph.tensor<[1] x f32>
    %r = graph.concat %k, %o dim 0 : !graph.tensor<[B - 1] x f32>, !graph.tensor<[1] x f32> -> !graph.tensor<[B] x f32>
    graph.yield %r : !graph.tensor<[B] x f32>
  }
  return %h : !graph.tensor<[B] x f32>
}
