// RUN: nereid-opt %s -split-input-file -verify-diagnostics | nereid-opt -split-input-file | FileCheck %s

func.func @twice(%x: !graph.tensor<[M] x f32> {graph.name = "x"}) -> !graph.tensor<[M] x f32>
    attributes {graph.program, graph.function, graph.result = "{0}"} {
  %r = graph.add %x, %x : !graph.tensor<[M] x f32>
  return %r : !graph.tensor<[M] x f32>
}

// CHECK-LABEL: func.func @apply(
func.func @apply(%x: !graph.tensor<[M] x f32>) -> !graph.tensor<[M] x f32> {
  // CHECK: graph.apply @twice(%{{.*}}) : (!graph.tensor<[M] x f32>) -> !graph.tensor<[M] x f32>
  %r = graph.apply @twice(%x) : (!graph.tensor<[M] x f32>) -> !graph.tensor<[M] x f32>
  return %r : !graph.tensor<[M] x f32>
}

// -----

func.func @program(%x: !graph.tensor<[M] x f32> {graph.name = "x"}) -> !graph.tensor<[M] x f32>
    attributes {graph.program, graph.result = "{0}"} {
  return %x : !graph.tensor<[M] x f32>
}

func.func @callee(%x: !graph.tensor<[M] x f32>) -> !graph.tensor<[M] x f32> {
  // expected-error @+1 {{c1: 'program' is no function of the graph}}
  %r = graph.apply @program(%x) : (!graph.tensor<[M] x f32>) -> !graph.tensor<[M] x f32>
  return %r : !graph.tensor<[M] x f32>
}

// -----

func.func @f(%x: !graph.tensor<[M] x f32> {graph.name = "x"}) -> !graph.tensor<[M] x f32>
    attributes {graph.program, graph.function, graph.result = "{0}"} {
  return %x : !graph.tensor<[M] x f32>
}

func.func @operands(%x: !graph.tensor<[N] x f32>) -> !graph.tensor<[M] x f32> {
  // expected-error @+1 {{c2: the operands have other types than the arguments of 'f'}}
  %r = graph.apply @f(%x) : (!graph.tensor<[N] x f32>) -> !graph.tensor<[M] x f32>
  return %r : !graph.tensor<[M] x f32>
}

// -----

func.func @f(%x: !graph.tensor<[M] x f32> {graph.name = "x"}) -> !graph.tensor<[M] x f32>
    attributes {graph.program, graph.function, graph.result = "{0}"} {
  return %x : !graph.tensor<[M] x f32>
}

func.func @results(%x: !graph.tensor<[M] x f32>) -> !graph.tensor<[M] x f16> {
  // expected-error @+1 {{c3: the results have other types than those of 'f'}}
  %r = graph.apply @f(%x) : (!graph.tensor<[M] x f32>) -> !graph.tensor<[M] x f16>
  return %r : !graph.tensor<[M] x f16>
}

// -----

func.func @block(%x: !graph.tensor<[B, D] x f32> {graph.name = "x"}, %w: !graph.tensor<[D, D] x f32> {graph.name = "w"})
    -> !graph.tensor<[B, D] x f32> attributes {graph.program, graph.function, graph.result = "{0}"} {
  return %x : !graph.tensor<[B, D] x f32>
}

// CHECK-LABEL: func.func @two_operands(
func.func @two_operands(%x: !graph.tensor<[B, D] x f32>, %w: !graph.tensor<[D, D] x f32>)
    -> !graph.tensor<[B, D] x f32> {
  // CHECK: graph.apply @block(%{{.*}}, %{{.*}}) : (!graph.tensor<[B, D] x f32>, !graph.tensor<[D, D] x f32>)
  %r = graph.apply @block(%x, %w) : (!graph.tensor<[B, D] x f32>, !graph.tensor<[D, D] x f32>) -> !graph.tensor<[B, D] x f32>
  return %r : !graph.tensor<[B, D] x f32>
}
