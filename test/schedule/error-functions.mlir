// RUN: nereid-opt %s --schedule=stage=3 --split-input-file | FileCheck %s

// Where PyTorch rounds what is made of it to a half, 1 + erf(x) is a complementary error function of a few digits.
// CHECK-LABEL: func.func @halves_kernel
// CHECK-NOT: math.erf {{.*}}
// CHECK: %[[NEGATED:.*]] = arith.negf
// CHECK: math.erfc %[[NEGATED]] fastmath<afn>
// CHECK-NOT: arith.addf
// CHECK: tile.store
func.func @halves(%x: !graph.tensor<[N] x bf16> {graph.name = "x"}) -> !graph.tensor<[N] x bf16>
    attributes {graph.program, graph.result = "{0}"} {
  %w = graph.cast %x : !graph.tensor<[N] x bf16> -> !graph.tensor<[N] x f32>
  %e = graph.erf %w : !graph.tensor<[N] x f32>
  %one = graph.constant 1.0 : f64 -> !graph.tensor<[] x f32>
  %ones = graph.broadcast %one [] : !graph.tensor<[] x f32> -> !graph.tensor<[N] x f32>
  %s = graph.add %e, %ones : !graph.tensor<[N] x f32>
  %r = graph.cast %s {elidable} : !graph.tensor<[N] x f32> -> !graph.tensor<[N] x bf16>
  return %r : !graph.tensor<[N] x bf16>
}

// -----

// Where the program itself rounds, what it computes before has 32 bits.
// CHECK-LABEL: func.func @rounded_kernel
// CHECK: math.erf
// CHECK: arith.addf
func.func @rounded(%x: !graph.tensor<[N] x f32> {graph.name = "x"}) -> !graph.tensor<[N] x bf16>
    attributes {graph.program, graph.result = "{0}"} {
  %e = graph.erf %x : !graph.tensor<[N] x f32>
  %one = graph.constant 1.0 : f64 -> !graph.tensor<[] x f32>
  %ones = graph.broadcast %one [] : !graph.tensor<[] x f32> -> !graph.tensor<[N] x f32>
  %s = graph.add %e, %ones : !graph.tensor<[N] x f32>
  %r = graph.cast %s : !graph.tensor<[N] x f32> -> !graph.tensor<[N] x bf16>
  return %r : !graph.tensor<[N] x bf16>
}

// -----

// Results of 32 bits show the digits that it lacks.
// CHECK-LABEL: func.func @floats_kernel
// CHECK: math.erf
// CHECK: arith.addf
func.func @floats(%x: !graph.tensor<[N] x bf16> {graph.name = "x"}) -> !graph.tensor<[N] x f32>
    attributes {graph.program, graph.result = "{0}"} {
  %w = graph.cast %x : !graph.tensor<[N] x bf16> -> !graph.tensor<[N] x f32>
  %e = graph.erf %w : !graph.tensor<[N] x f32>
  %one = graph.constant 1.0 : f64 -> !graph.tensor<[] x f32>
  %ones = graph.broadcast %one [] : !graph.tensor<[] x f32> -> !graph.tensor<[N] x f32>
  %s = graph.add %e, %ones : !graph.tensor<[N] x f32>
  return %s : !graph.tensor<[N] x f32>
}
