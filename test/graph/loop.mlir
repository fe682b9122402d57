// RUN: nereid-opt %s -split-input-file -verify-diagnostics | nereid-opt -split-input-file | FileCheck %s

// CHECK-LABEL: func.func @loop(
func.func @loop(%h0: !graph.tensor<[B] x f32>, %xs: !graph.tensor<[T, B] x f32>, %a: !graph.tensor<[B] x f32>) -> !graph.tensor<[T, B] x f32> {
  // CHECK: %{{.*}}:2 = graph.loop <T>(%{{.*}}) over(%{{.*}}) with(%{{.*}}) : (!graph.tensor<[B] x f32>, !graph.tensor<[T, B] x f32>, !graph.tensor<[B] x f32>) -> (!graph.tensor<[B] x f32>, !graph.tensor<[T, B] x f32>) {
  %h, %ys = graph.loop <T>(%h0) over (%xs) with (%a) : (!graph.tensor<[B] x f32>, !graph.tensor<[T, B] x f32>, !graph.tensor<[B] x f32>) -> (!graph.tensor<[B] x f32>, !graph.tensor<[T, B] x f32>) {
  ^bb0(%h: !graph.tensor<[B] x f32>, %x: !graph.tensor<[B] x f32>, %b: !graph.tensor<[B] x f32>):
    %scaled = graph.mul %h, %b : !graph.tensor<[B] x f32>
    // CHECK: %[[NEXT:.*]] = graph.add
    %next = graph.add %scaled, %x : !graph.tensor<[B] x f32>
    // CHECK: graph.yield %[[NEXT]], %[[NEXT]]
    graph.yield %next, %next : !graph.tensor<[B] x f32>, !graph.tensor<[B] x f32>
  }
  return %ys : !graph.tensor<[T, B] x f32>
}

// -----

func.func @inputs(%h0: !graph.tensor<[B] x f32>, %xs: !graph.tensor<[S, B] x f32>) {
  // expected-error @+1 {{c1: an input has no leading axis of T elements, found '!graph.tensor<[S, B] x f32>'}}
  %h = graph.loop <T>(%h0) over (%xs) with () : (!graph.tensor<[B] x f32>, !graph.tensor<[S, B] x f32>) -> (!graph.tensor<[B] x f32>) {
  ^bb0(%a: !graph.tensor<[B] x f32>, %x: !graph.tensor<[B] x f32>):
    graph.yield %a : !graph.tensor<[B] x f32>
  }
  return
}

// -----

func.func @arguments(%h0: !graph.tensor<[B] x f32>) {
  // expected-error @+1 {{c2: the body's arguments have other types than the inits, the inputs' elements and the constants}}
  %h = graph.loop <T>(%h0) over () with () : (!graph.tensor<[B] x f32>) -> (!graph.tensor<[B] x f32>) {
  ^bb0(%a: !graph.tensor<[T] x f32>):
    graph.yield %a : !graph.tensor<[T] x f32>
  }
  return
}

// -----

func.func @next(%h0: !graph.tensor<[B] x f32>, %x: !graph.tensor<[T] x f32>) {
  // expected-error @+1 {{c3: the body does not yield the inits' types}}
  %h = graph.loop <T>(%h0) over () with () : (!graph.tensor<[B] x f32>) -> (!graph.tensor<[B] x f32>) {
  ^bb0(%a: !graph.tensor<[B] x f32>):
    graph.yield %x : !graph.tensor<[T] x f32>
  }
  return
}

// -----

func.func @results(%h0: !graph.tensor<[B] x f32>) {
  // expected-error @+1 {{c4: the results have other types than the inits and what is stacked}}
  %h, %ys = graph.loop <T>(%h0) over () with () : (!graph.tensor<[B] x f32>) -> (!graph.tensor<[B] x f32>, !graph.tensor<[B] x f32>) {
  ^bb0(%a: !graph.tensor<[B] x f32>):
    graph.yield %a, %a : !graph.tensor<[B] x f32>, !graph.tensor<[B] x f32>
  }
  return
}
