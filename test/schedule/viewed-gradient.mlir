// RUN: nereid-opt %s --add-backward --schedule=stage=2 | FileCheck %s

// The gradients of a concatenation are parts of its result's gradient, that of a sum repeats it:
// views, as PyTorch's, and nothing is launched.

// CHECK-LABEL: func.func @join_backward(
// CHECK-SAME: %[[G:[^:]*]]: !host.tensor<[M, K + N] x f32
// CHECK-NOT: host.launch
// CHECK: %[[X:.*]] = host.view %[[G]] offset <0> : {{.*}} -> !host.tensor<[M, K] x f32, [stride_grad_out_0, stride_grad_out_1]>
// CHECK: %[[Y:.*]] = host.view %[[G]] offset <K*stride_grad_out_1> : {{.*}} -> !host.tensor<[M, N] x f32
// CHECK: return %[[X]], %[[Y]]
func.func @join(%x: !graph.tensor<[M, K] x f32> {graph.name = "x"}, %y: !graph.tensor<[M, N] x f32> {graph.name = "y"})
    -> !graph.tensor<[M, K + N] x f32> attributes {graph.program, graph.result = "{0}"} {
  %r = graph.concat %x, %y dim 1 : !graph.tensor<[M, K] x f32>, !graph.tensor<[M, N] x f32> -> !graph.tensor<[M, K + N] x f32>
  return %r : !graph.tensor<[M, K + N] x f32>
}

// CHECK-LABEL: func.func @total_backward(
// CHECK: %[[X:.*]] = host.view {{.*}} offset <0> : {{.*}} -> !host.tensor<[M, N] x f32, [0, 0]>
// CHECK: return %[[X]]
func.func @total(%x: !graph.tensor<[M, N] x f32> {graph.name = "x"}) -> !graph.tensor<[] x f32> attributes {graph.program, graph.result = "{0}"} {
  %r = graph.fold sum %x [0, 1] : <[M, N] x f32> -> <[] x f32>
  return %r : !graph.tensor<[] x f32>
}

// PyTorch has no negative strides: the gradient of a flip is a copy.
// CHECK-LABEL: func.func @turn_backward(
// CHECK: host.launch
// CHECK-NOT: host.view
func.func @turn(%x: !graph.tensor<[M, N] x f32> {graph.name = "x"}) -> !graph.tensor<[M, N] x f32> attributes {graph.program, graph.result = "{0}"} {
  %r = graph.flip %x [1] : <[M, N] x f32>
  return %r : !graph.tensor<[M, N] x f32>
}
