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

func.func @count(%x: !graph.tensor<[M] x f32>) -> !graph.tensor<[M] x f32> {
  // expected-error @+1 {{c2: 2 operands for the 1 arguments of 'f'}}
  %r = graph.apply @f(%x, %x) : (!graph.tensor<[M] x f32>, !graph.tensor<[M] x f32>) -> !graph.tensor<[M] x f32>
  return %r : !graph.tensor<[M] x f32>
}

// -----

func.func @f(%x: !graph.tensor<[M] x f32> {graph.name = "x"}) -> !graph.tensor<[M] x f32>
    attributes {graph.program, graph.function, graph.result = "{0}"} {
  return %x : !graph.tensor<[M] x f32>
}

func.func @sizes_of_results(%x: !graph.tensor<[N] x f32>) -> !graph.tensor<[M] x f32> {
  // expected-error @+1 {{c3: the results have other types than those of 'f'}}
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

// -----

// The sizes of a function are those of what it is applied to, or numbers that it is given.
func.func @pooled(%x: !graph.tensor<[M, 2*C] x f32> {graph.name = "x"},
                  %c: !graph.tensor<[] x i64> {graph.name = "C", graph.scalar, graph.symbol = "C"})
    -> !graph.tensor<[M, C] x f32> attributes {graph.program, graph.function, graph.result = "{0}"} {
  %r = graph.slice %x dim 1 start <0> step 2 : <[M, 2*C] x f32> -> <[M, C] x f32>
  return %r : !graph.tensor<[M, C] x f32>
}

// CHECK-LABEL: func.func @twice_at_other_sizes(
func.func @twice_at_other_sizes(%x: !graph.tensor<[B, 4*D] x f32>) -> !graph.tensor<[B, D] x f32> {
  %d2 = graph.size <2*D> -> <[] x i64>
  %d = graph.size <D> -> <[] x i64>
  // CHECK: graph.apply @pooled(%{{.*}}, %{{.*}}) : (!graph.tensor<[B, 4*D] x f32>, !graph.tensor<[] x i64>) -> !graph.tensor<[B, 2*D] x f32>
  %y = graph.apply @pooled(%x, %d2) : (!graph.tensor<[B, 4*D] x f32>, !graph.tensor<[] x i64>) -> !graph.tensor<[B, 2*D] x f32>
  %r = graph.apply @pooled(%y, %d) : (!graph.tensor<[B, 2*D] x f32>, !graph.tensor<[] x i64>) -> !graph.tensor<[B, D] x f32>
  return %r : !graph.tensor<[B, D] x f32>
}

// -----

func.func @square(%x: !graph.tensor<[D, D] x f32> {graph.name = "x"}) -> !graph.tensor<[D, D] x f32>
    attributes {graph.program, graph.function, graph.result = "{0}"} {
  return %x : !graph.tensor<[D, D] x f32>
}

func.func @operands(%x: !graph.tensor<[M, N] x f32>) -> !graph.tensor<[M, N] x f32> {
  // expected-error @+1 {{c2: the operands have other types than the arguments of 'square'}}
  %r = graph.apply @square(%x) : (!graph.tensor<[M, N] x f32>) -> !graph.tensor<[M, N] x f32>
  return %r : !graph.tensor<[M, N] x f32>
}
