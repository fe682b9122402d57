// RUN: nereid-opt %s --schedule=stage=2 | FileCheck %s
// RUN: nereid-opt %s --schedule=stage=1 | FileCheck %s --check-prefix=NAIVE

// A rounding to half that PyTorch's operators imply is dropped inside of a kernel; the user's own is kept.
// CHECK-LABEL: func.func @chain_kernel
// CHECK: tile.load
// CHECK: math.exp
// CHECK-NOT: arith.truncf
// CHECK: math.sqrt
// CHECK: arith.truncf {{.*}} to {{.*}}f16
// CHECK: arith.extf
// CHECK: math.log
// CHECK: arith.truncf
// CHECK: tile.store
// At stage 1 an operator is a kernel, and stores its result as PyTorch does, rounded.
// NAIVE: math.exp
// NAIVE: arith.truncf {{.*}} to {{.*}}f16
// NAIVE: tile.store
// NAIVE: math.sqrt
// NAIVE: tile.store
// NAIVE: arith.truncf {{.*}} to {{.*}}f16
// NAIVE: arith.extf
// NAIVE: math.log
// NAIVE: tile.store
func.func @chain(%x: !graph.tensor<[N] x f16> {graph.name = "x"}) -> !graph.tensor<[N] x f16>
    attributes {graph.program, graph.result = "{0}"} {
  %0 = graph.cast %x : !graph.tensor<[N] x f16> -> !graph.tensor<[N] x f32>
  %1 = graph.exp %0 : !graph.tensor<[N] x f32>
  %2 = graph.cast %1 {elidable} : !graph.tensor<[N] x f32> -> !graph.tensor<[N] x f16>
  %3 = graph.cast %2 : !graph.tensor<[N] x f16> -> !graph.tensor<[N] x f32>
  %4 = graph.sqrt %3 : !graph.tensor<[N] x f32>
  %5 = graph.cast %4 : !graph.tensor<[N] x f32> -> !graph.tensor<[N] x f16>
  %6 = graph.cast %5 : !graph.tensor<[N] x f16> -> !graph.tensor<[N] x f32>
  %7 = graph.log %6 : !graph.tensor<[N] x f32>
  %8 = graph.cast %7 {elidable} : !graph.tensor<[N] x f32> -> !graph.tensor<[N] x f16>
  return %8 : !graph.tensor<[N] x f16>
}
