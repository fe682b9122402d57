// RUN: nereid-opt %s --schedule=stage=1 | FileCheck %s

// Views are index maps of who reads them: one kernel at either stage, and the address has it all.
// CHECK-LABEL: func.func @corner(
// CHECK: host.size <M*stride_x_0 - 2*stride_x_0>
// CHECK-COUNT-1: host.launch
// CHECK-NOT: host.launch
func.func @corner(%x: !graph.tensor<[M, N] x f32> {graph.name = "x"}) -> !graph.tensor<[N, M - 2] x f32>
    attributes {graph.program, graph.result = "{0}"} {
  graph.check <"M >= 2">, "too few rows"
  %s = graph.slice %x dim 0 start <1> step 1 : !graph.tensor<[M, N] x f32> -> !graph.tensor<[M - 2, N] x f32>
  %t = graph.transpose %s [1, 0] : !graph.tensor<[M - 2, N] x f32> -> !graph.tensor<[N, M - 2] x f32>
  %f = graph.flip %t [1] : !graph.tensor<[N, M - 2] x f32>
  %r = graph.neg %f : !graph.tensor<[N, M - 2] x f32>
  return %r : !graph.tensor<[N, M - 2] x f32>
}
