// RUN: nereid-opt %s --add-backward | FileCheck %s
// RUN: nereid-opt %s --add-backward --schedule=stage=2 | nereid-opt -o /dev/null

// Random numbers have no gradient and are never saved: the backward program draws them again from the seed, by the
// same stream.

// CHECK-LABEL: func.func @drop(
// CHECK-SAME: -> !graph.tensor<[M, N] x f32> attributes
// CHECK-SAME: graph.saved = [{argument = 1 : i64}]
//
// CHECK-LABEL: func.func @drop_backward(
// CHECK-SAME: %[[G:[^:]*]]: !graph.tensor<[M, N] x f32> {graph.cotangent = 0 : i64, graph.name = "grad_out"}
// CHECK-SAME: %[[S:[^:]*]]: !graph.tensor<[] x i64> {graph.name = "seed", graph.saved = 0 : i64, graph.seed}
// CHECK: %[[U:.*]] = graph.random {{ *}}uniform %[[S]] stream <3>
// CHECK: %[[NOISE:.*]] = graph.where
// CHECK: %[[R:.*]] = graph.mul %[[G]], %[[NOISE]]
// CHECK: return %[[R]]
func.func @drop(%x: !graph.tensor<[M, N] x f32> {graph.name = "x"}, %s: !graph.tensor<[] x i64> {graph.name = "seed", graph.seed})
    -> !graph.tensor<[M, N] x f32> attributes {graph.program, graph.result = "{0}", graph.hints = {M = 64, N = 64}} {
  %u = graph.random uniform %s stream <3> : !graph.tensor<[] x i64> -> !graph.tensor<[M, N] x f32>
  %p = graph.constant 0.5 : f64 -> !graph.tensor<[] x f32>
  %ps = graph.broadcast %p [] : !graph.tensor<[] x f32> -> !graph.tensor<[M, N] x f32>
  %dropped = graph.lt %u, %ps : !graph.tensor<[M, N] x f32>
  %zero = graph.constant 0.0 : f64 -> !graph.tensor<[] x f32>
  %zeros = graph.broadcast %zero [] : !graph.tensor<[] x f32> -> !graph.tensor<[M, N] x f32>
  %two = graph.constant 2.0 : f64 -> !graph.tensor<[] x f32>
  %twos = graph.broadcast %two [] : !graph.tensor<[] x f32> -> !graph.tensor<[M, N] x f32>
  %noise = graph.where %dropped, %zeros, %twos : !graph.tensor<[M, N] x f32>
  %r = graph.mul %x, %noise : !graph.tensor<[M, N] x f32>
  return %r : !graph.tensor<[M, N] x f32>
}
