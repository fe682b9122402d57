// A loop that moves the elements of its state around is a loop of launches: the state lies in two tensors that change
// places, the turn is an argument for which no kernel is made anew.
// RUN: nereid-opt %s --schedule=stage=2 | FileCheck %s

// CHECK: func.func @roll_turn_kernel({{.*}}tile.varies
// CHECK-LABEL: func.func @roll(
// CHECK: %[[A:.*]] = host.empty -> !host.tensor<[B] x f32, [1]>
// CHECK: host.launch @roll_state_kernel {{.*}}%[[A]]
// CHECK: %[[X:.*]] = host.contiguous
// CHECK: %[[B:.*]] = host.empty -> !host.tensor<[B] x f32, [1]>
// CHECK: %[[R:.*]]:2 = host.for "t" below <T>(%[[A]], %[[B]])
// CHECK: ^bb0(%[[NOW:[^:]*]]: {{.*}}, %[[NEXT:[^:]*]]: {{.*}}):
// CHECK-NOT: host.empty
// CHECK: host.launch @roll_turn_kernel {{.*}}(%[[NOW]], %[[X]], %[[NEXT]],
// CHECK: host.yield %[[NEXT]], %[[NOW]]
// CHECK: return %[[R]]#0
func.func @roll(%h0: !graph.tensor<[B] x f32> {graph.name = "h0"}, %x: !graph.tensor<[T, B] x f32> {graph.name = "x"}) -> !graph.tensor<[B] x f32> attributes {graph.program, graph.result = "{0}"} {
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
