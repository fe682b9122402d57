// RUN: nereid-opt %s -split-input-file -verify-diagnostics | nereid-opt -split-input-file | FileCheck %s

// CHECK: func.func @program(%{{.*}}: !graph.tensor<[M] x f32> {graph.name = "x"}) -> !graph.tensor<[M] x f32> attributes {graph.program, graph.result = "{0}"}
func.func @program(%x: !graph.tensor<[M] x f32> {graph.name = "x"}) -> !graph.tensor<[M] x f32> attributes {graph.program, graph.result = "{0}"} {
  return %x : !graph.tensor<[M] x f32>
}

// -----

// expected-error @+1 {{c2: arguments and results are graph tensors, found 'f32'}}
func.func @arguments(%x: f32 {graph.name = "x"}) attributes {graph.program, graph.result = "{0}"} {
  return
}

// -----

// expected-error @+1 {{c3: argument 0 has no 'graph.name'}}
func.func @nameless(%x: !graph.tensor<[M] x f32>) attributes {graph.program, graph.result = "{0}"} {
  return
}

// -----

// expected-error @+1 {{c4: 'graph.result' is missing or not a string}}
func.func @resultless() attributes {graph.program} {
  return
}
