// RUN: nereid-opt %s -split-input-file --schedule=stage=3 | FileCheck %s

// A call is a wall: what it takes is stored, or a view of what is; kernels load what it gives. The sum of its result
// joins neither side. What only a call reads is not copied where it is not row-major.
// CHECK-LABEL: func.func @wall_exp_kernel
// CHECK: math.exp
// CHECK-LABEL: func.func @wall_out_kernel
// CHECK: tile.reduce
// CHECK-LABEL: func.func @wall(
// CHECK: host.contiguous %arg0
// CHECK-NOT: host.contiguous
// CHECK: host.launch @wall_exp_kernel
// CHECK: %[[T:.*]] = host.view %arg1 offset <0> : {{.*}} -> !host.tensor<[K, N] x f32, [stride_w_1, stride_w_0]>
// CHECK: %[[R:.*]] = host.call "torch.matmul" ["{0}", "{1}"](%{{.*}}, %[[T]])
// CHECK: host.launch @wall_out_kernel{{.*}}(%[[R]]
func.func @wall(%x: !graph.tensor<[M, K] x f32> {graph.name = "x"}, %w: !graph.tensor<[N, K] x f32> {graph.name = "w"})
    -> !graph.tensor<[M] x f32> attributes {graph.program, graph.result = "{0}", graph.hints = {M = 4096, K = 512, N = 512}} {
  %e = graph.exp %x : !graph.tensor<[M, K] x f32>
  %t = graph.transpose %w [1, 0] : !graph.tensor<[N, K] x f32> -> !graph.tensor<[K, N] x f32>
  %r = graph.call "torch.matmul" ["{0}", "{1}"] (%e, %t) : (!graph.tensor<[M, K] x f32>, !graph.tensor<[K, N] x f32>) -> !graph.tensor<[M, N] x f32>
  %s = graph.fold sum %r [1] : !graph.tensor<[M, N] x f32> -> !graph.tensor<[M] x f32>
  return %s : !graph.tensor<[M] x f32>
}

// -----

// All results of a call come at once, whichever are used; a size is a number to it, what is flipped a copy.
// CHECK-LABEL: func.func @both_given_kernel
// CHECK-LABEL: func.func @both(
// CHECK: host.launch @both_given_kernel
// CHECK-NEXT: %[[N:.*]] = host.size <N>
// CHECK-NEXT: %[[C:.*]]:2 = host.call "torch.topk" ["{0}", "{1:n}"](%{{.*}}, %[[N]])
// CHECK-NOT: host.call
// CHECK: return %[[C]]#1
func.func @both(%x: !graph.tensor<[M, N] x f32> {graph.name = "x"}) -> !graph.tensor<[M, N] x i64>
    attributes {graph.program, graph.result = "{0}", graph.hints = {M = 64, N = 64}} {
  %n = graph.size <N> -> !graph.tensor<[] x i64>
  %f = graph.flip %x [1] : !graph.tensor<[M, N] x f32>
  %v, %i = graph.call "torch.topk" ["{0}", "{1:n}"] (%f, %n) : (!graph.tensor<[M, N] x f32>, !graph.tensor<[] x i64>) -> (!graph.tensor<[M, N] x f32>, !graph.tensor<[M, N] x i64>)
  return %i : !graph.tensor<[M, N] x i64>
}
