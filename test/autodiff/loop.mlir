// The gradient of a loop goes back over its turns, from the states with which they began; gradients of constants are summed.
// RUN: nereid-opt %s --add-backward | FileCheck %s

// CHECK-LABEL: func.func @recurrence(
// CHECK: %[[LOOP:.*]]:3 = graph.loop <T>
// CHECK: return %[[LOOP]]#1, %[[LOOP]]#2
// CHECK-LABEL: func.func @recurrence_backward(
// CHECK: %[[STATES:.*]] = graph.flip %{{.*}} [0] : <[T, B] x f32>
// CHECK: %{{.*}}:{{[0-9]}} = graph.loop <T>(%{{.*}}) over({{.*}}%[[STATES]]{{.*}}) with(
func.func @recurrence(%h0: !graph.tensor<[B] x f32> {graph.name = "h0"}, %x: !graph.tensor<[T, B] x f32> {graph.name = "x"}, %a: !graph.tensor<[B] x f32> {graph.name = "a"}) -> !graph.tensor<[T, B] x f32> attributes {graph.program, graph.result = "{0}"} {
  %h, %ys = graph.loop <T>(%h0) over (%x) with (%a) : (!graph.tensor<[B] x f32>, !graph.tensor<[T, B] x f32>, !graph.tensor<[B] x f32>) -> (!graph.tensor<[B] x f32>, !graph.tensor<[T, B] x f32>) {
  ^bb0(%s: !graph.tensor<[B] x f32>, %v: !graph.tensor<[B] x f32>, %b: !graph.tensor<[B] x f32>):
    %m = graph.mul %s, %b : !graph.tensor<[B] x f32>
    %n = graph.add %m, %v : !graph.tensor<[B] x f32>
    graph.yield %n, %n : !graph.tensor<[B] x f32>, !graph.tensor<[B] x f32>
  }
  return %ys : !graph.tensor<[T, B] x f32>
}
