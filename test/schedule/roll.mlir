// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: nereid-opt %s --schedule=stage=2 | FileCheck %s

// A roll of all elements by one: the read index i - 1 is divided by sizes. Its negation plus a size is the same
// remainder as its negation alone, so turning the division would go round in circles.
// CHECK-LABEL: func.func @roll_kernel
// CHECK: tile.load
// CHECK: tile.store
func.func @roll(%x: !graph.tensor<[M, N, K] x f32> {graph.name = "x"}) -> !graph.tensor<[M, N, K] x f32>
    attributes {graph.program, graph.result = "{0}"} {
  graph.check <"K * M * N >= 1">, "a roll by more than the size K * M * N"
  %1 = graph.reshape %x : !graph.tensor<[M, N, K] x f32> -> !graph.tensor<[K*M*N] x f32>
  %2 = graph.slice %1 dim 0 start <K*M*N - 1> step 1 : !graph.tensor<[K*M*N] x f32> -> !graph.tensor<[1] x f32>
  %3 = graph.slice %1 dim 0 start <0> step 1 : !graph.tensor<[K*M*N] x f32> -> !graph.tensor<[K*M*N - 1] x f32>
  %4 = graph.concat %2, %3 dim 0 : !graph.tensor<[1] x f32>, !graph.tensor<[K*M*N - 1] x f32> -> !graph.tensor<[K*M*N] x f32>
  %5 = graph.reshape %4 : !graph.tensor<[K*M*N] x f32> -> !graph.tensor<[M, N, K] x f32>
  return %5 : !graph.tensor<[M, N, K] x f32>
}
