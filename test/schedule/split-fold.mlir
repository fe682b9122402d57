// RUN: nereid-opt %s --schedule=stage=3 | FileCheck %s
// RUN: nereid-opt %s --schedule=stage=2 | FileCheck %s --check-prefix=WHOLE

// A fold of few results is split into windows: each program folds one, a second kernel combines them.

// CHECK: func.func @total_out_partial_contiguous_kernel
// CHECK: %[[START:.*]] = arith.muli %{{.*}}, %{{.*}} : i32
// CHECK: %[[STOP:.*]] = arith.minsi
// CHECK: scf.for %{{.*}} = %[[START]] to %[[STOP]]
// CHECK: func.func @total_out_kernel
// CHECK: func.func @total(
// CHECK: host.empty -> !host.tensor<["cdiv(M * N, 16384)"] x f32
// WHOLE-NOT: partial
func.func @total(%x: !graph.tensor<[M, N] x f32> {graph.name = "x"}) -> !graph.tensor<[] x f32>
    attributes {graph.program, graph.result = "{0}", graph.hints = {M = 4096 : i64, N = 4096 : i64}} {
  %0 = graph.fold sum %x [0, 1] : <[M, N] x f32> -> <[] x f32>
  return %0 : !graph.tensor<[] x f32>
}

// Many rows fill the device as they are.

// CHECK-NOT: rows_{{.*}}partial
func.func @rows(%x: !graph.tensor<[M, N] x f32> {graph.name = "x"}) -> !graph.tensor<[M] x f32>
    attributes {graph.program, graph.result = "{0}", graph.hints = {M = 4096 : i64, N = 4096 : i64}} {
  %0 = graph.fold sum %x [1] : <[M, N] x f32> -> <[M] x f32>
  return %0 : !graph.tensor<[M] x f32>
}
