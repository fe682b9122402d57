// RUN: nereid-opt %s -split-input-file -verify-diagnostics --add-backward

// expected-error @+1 {{no argument needs a gradient}}
func.func @integers(%x: !graph.tensor<[M] x i64> {graph.name = "x"}) -> !graph.tensor<[M] x i64> attributes {graph.program, graph.result = "{0}"} {
  return %x : !graph.tensor<[M] x i64>
}

// -----

func.func @through(%x: !graph.tensor<[M] x i64> {graph.name = "i"}, %b: !graph.tensor<[M] x f32> {graph.name = "b"}) -> !graph.tensor<[M] x f32> attributes {graph.program, graph.result = "{0}"} {
  // expected-error @+1 {{argument 'b' is mutated by the program: a gradient with respect to it has no meaning}}
  graph.assign %b, %b : !graph.tensor<[M] x f32>
  return %b : !graph.tensor<[M] x f32>
}
