// RUN: nereid-opt %s -split-input-file -verify-diagnostics | nereid-opt -split-input-file | FileCheck %s

// CHECK-LABEL: func.func @composite(
func.func @composite(%x: !graph.tensor<[M] x f32>) -> !graph.tensor<[M] x f32> {
  // CHECK: graph.composite "aten::square"(%{{.*}}) : (!graph.tensor<[M] x f32>) -> !graph.tensor<[M] x f32>
  %r = graph.composite "aten::square"(%x) : (!graph.tensor<[M] x f32>) -> !graph.tensor<[M] x f32> {
  ^bb0(%a: !graph.tensor<[M] x f32>):
    // CHECK: %[[S:.*]] = graph.mul
    %s = graph.mul %a, %a : !graph.tensor<[M] x f32>
    // CHECK: graph.yield %[[S]] : !graph.tensor<[M] x f32>
    graph.yield %s : !graph.tensor<[M] x f32>
  }
  return %r : !graph.tensor<[M] x f32>
}

// -----

func.func @arguments(%x: !graph.tensor<[M] x f32>) {
  // expected-error @+1 {{c1: the body's arguments have other types than the operands}}
  %r = graph.composite "aten::square"(%x) : (!graph.tensor<[M] x f32>) -> !graph.tensor<[N] x f32> {
  ^bb0(%a: !graph.tensor<[N] x f32>):
    graph.yield %a : !graph.tensor<[N] x f32>
  }
  return
}

// -----

func.func @results(%x: !graph.tensor<[M] x f32>) {
  // expected-error @+1 {{c2: the body yields other types than the results}}
  %r = graph.composite "aten::square"(%x) : (!graph.tensor<[M] x f32>) -> !graph.tensor<[N] x f32> {
  ^bb0(%a: !graph.tensor<[M] x f32>):
    graph.yield %a : !graph.tensor<[M] x f32>
  }
  return
}

// -----

// CHECK-LABEL: func.func @declared(
func.func @declared(%x: !graph.tensor<[M] x f16>) {
  %r = graph.composite "aten::same"(%x) : (!graph.tensor<[M] x f16>) -> !graph.tensor<[M] x f16> {
  ^bb0(%a: !graph.tensor<[M] x f16>):
    graph.yield %a : !graph.tensor<[M] x f16>
  // CHECK: } gradient {
  // CHECK-NEXT: ^bb0(%[[G:.*]]: !graph.tensor<[M] x f32>, %{{.*}}: !graph.tensor<[M] x f16>, %{{.*}}: !graph.tensor<[M] x f16>):
  // CHECK-NEXT: graph.yield %[[G]]
  } gradient {
  ^bb0(%g: !graph.tensor<[M] x f32>, %a: !graph.tensor<[M] x f16>, %b: !graph.tensor<[M] x f16>):
    graph.yield %g : !graph.tensor<[M] x f32>
  }
  return
}

// -----

func.func @gradient(%x: !graph.tensor<[M] x f32>) {
  // expected-error @+1 {{c3: the gradient takes other types than gradients, operands and results}}
  %r = graph.composite "aten::same"(%x) : (!graph.tensor<[M] x f32>) -> !graph.tensor<[M] x f32> {
  ^bb0(%a: !graph.tensor<[M] x f32>):
    graph.yield %a : !graph.tensor<[M] x f32>
  } gradient {
  ^bb0(%a: !graph.tensor<[M] x f32>):
    graph.yield %a : !graph.tensor<[M] x f32>
  }
  return
}
