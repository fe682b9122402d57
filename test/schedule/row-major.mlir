// RUN: nereid-opt %s --schedule=stage=2 | FileCheck %s

// An argument of which the program tells whether it is row-major is checked, axes of one element but for their strides.
// CHECK-LABEL: func.func @shift(
// CHECK: host.check <"{{.*}}stride_x_{{.*}}">, "x: expected a contiguous tensor, as PyTorch's reshape() copies others and a write tells the difference"
// CHECK: host.launch
func.func @shift(%x: !graph.tensor<[M, N] x f32> {graph.name = "x", graph.row_major = "reshape()"})
    attributes {graph.program, graph.result = "None"} {
  %flat = graph.reshape %x : !graph.tensor<[M, N] x f32> -> !graph.tensor<[M * N] x f32>
  %double = graph.add %flat, %flat : !graph.tensor<[M * N] x f32>
  %back = graph.reshape %double : !graph.tensor<[M * N] x f32> -> !graph.tensor<[M, N] x f32>
  graph.assign %x, %back : !graph.tensor<[M, N] x f32>
  return
}

// Without, any strides do.
// CHECK-LABEL: func.func @any(
// CHECK-NOT: contiguous tensor
// CHECK: host.launch
func.func @any(%x: !graph.tensor<[M, N] x f32> {graph.name = "x"}) -> !graph.tensor<[M, N] x f32>
    attributes {graph.program, graph.result = "{0}"} {
  %double = graph.add %x, %x : !graph.tensor<[M, N] x f32>
  return %double : !graph.tensor<[M, N] x f32>
}
