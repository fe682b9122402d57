// RUN: nereid-opt %s --schedule=stage=3 --split-input-file | FileCheck %s

// Beside 1 an exponential below 2**-126 is nothing: `exp2` need not make it.
// CHECK-LABEL: func.func @sigmoid_kernel
// CHECK: %[[X:.*]] = tile.load
// CHECK-NOT: arith.negf
// CHECK: %[[SCALED:.*]] = arith.mulf %[[X]], %
// CHECK: math.exp2 %[[SCALED]] :
// CHECK-NOT: math.exp {{.*}}
// CHECK: tile.store
func.func @sigmoid(%x: !graph.tensor<[N] x f32> {graph.name = "x"}) -> !graph.tensor<[N] x f32>
    attributes {graph.program, graph.result = "{0}"} {
  %n = graph.neg %x : !graph.tensor<[N] x f32>
  %e = graph.exp %n : !graph.tensor<[N] x f32>
  %one = graph.constant 1.0 : f64 -> !graph.tensor<[] x f32>
  %ones = graph.broadcast %one [] : !graph.tensor<[] x f32> -> !graph.tensor<[N] x f32>
  %s = graph.add %e, %ones : !graph.tensor<[N] x f32>
  %r = graph.div %ones, %s : !graph.tensor<[N] x f32>
  return %r : !graph.tensor<[N] x f32>
}

// -----

// A result shows it.
// CHECK-LABEL: func.func @shown_kernel
// CHECK: math.exp %
func.func @shown(%x: !graph.tensor<[N] x f32> {graph.name = "x"}) -> (!graph.tensor<[N] x f32>, !graph.tensor<[N] x f32>)
    attributes {graph.program, graph.result = "({0}, {1})"} {
  %e = graph.exp %x : !graph.tensor<[N] x f32>
  %one = graph.constant 1.0 : f64 -> !graph.tensor<[] x f32>
  %ones = graph.broadcast %one [] : !graph.tensor<[] x f32> -> !graph.tensor<[N] x f32>
  %s = graph.add %e, %ones : !graph.tensor<[N] x f32>
  return %e, %s : !graph.tensor<[N] x f32>, !graph.tensor<[N] x f32>
}

// -----

// So does a sum with a small number.
// CHECK-LABEL: func.func @small_kernel
// CHECK: math.exp %
func.func @small(%x: !graph.tensor<[N] x f32> {graph.name = "x"}) -> !graph.tensor<[N] x f32>
    attributes {graph.program, graph.result = "{0}"} {
  %e = graph.exp %x : !graph.tensor<[N] x f32>
  %one = graph.constant 1.0e-30 : f64 -> !graph.tensor<[] x f32>
  %ones = graph.broadcast %one [] : !graph.tensor<[] x f32> -> !graph.tensor<[N] x f32>
  %s = graph.add %e, %ones : !graph.tensor<[N] x f32>
  return %s : !graph.tensor<[N] x f32>
}

// -----

// Numbers of 64 bits have other bounds.
// CHECK-LABEL: func.func @wide_kernel
// CHECK: math.exp %
func.func @wide(%x: !graph.tensor<[N] x f64> {graph.name = "x"}) -> !graph.tensor<[N] x f64>
    attributes {graph.program, graph.result = "{0}"} {
  %e = graph.exp %x : !graph.tensor<[N] x f64>
  %one = graph.constant 1.0 : f64 -> !graph.tensor<[] x f64>
  %ones = graph.broadcast %one [] : !graph.tensor<[] x f64> -> !graph.tensor<[N] x f64>
  %s = graph.add %e, %ones : !graph.tensor<[N] x f64>
  return %s : !graph.tensor<[N] x f64>
}
