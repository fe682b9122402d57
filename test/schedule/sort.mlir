// RUN: nereid-opt %s -split-input-file --schedule=stage=2 | FileCheck %s

// Keys above positions are stored; a program sorts a short line, and programs find the first few of each run of a long
// one, bit by bit, which are sorted then: by one program, or by passes of a loop that merge runs. The positions gather the
// values.
// CHECK-LABEL: func.func @descending_keys_kernel
// CHECK: arith.bitcast
// CHECK: arith.shli
// CHECK: tile.store
// CHECK-LABEL: func.func @descending_least_kernel
// CHECK: tile.sort
// CHECK-LABEL: func.func @descending_least_of_runs_kernel
// CHECK-NOT: tile.sort
// CHECK: scf.while
// CHECK: tile.scan
// CHECK-LABEL: func.func @descending_sort_runs_kernel
// CHECK: tile.sort
// CHECK-LABEL: func.func @descending_merge_runs_kernel
// CHECK: scf.while
// CHECK-LABEL: func.func @descending_out0_kernel
// CHECK: tile.load
// CHECK: tile.load
// CHECK-LABEL: func.func @descending(
// CHECK: host.launch @descending_keys_kernel
// CHECK: host.cond <"N <= 1024">
// CHECK: host.launch @descending_least_kernel
// CHECK: host.launch @descending_least_of_runs_kernel
// CHECK: host.cond <"cdiv(N, 2048) <= 128">
// CHECK: host.launch @descending_least_kernel
// CHECK: host.launch @descending_sort_runs_kernel
// CHECK: host.while "run" from 512 times 4 while <"run < 8 * cdiv(N, 2048)">
// CHECK: host.launch @descending_merge_runs_kernel
// CHECK: host.launch @descending_merge_runs_kernel
// CHECK: host.launch @descending_least_of_runs_kernel
// CHECK: host.launch @descending_out0_kernel
func.func @descending(%x: !graph.tensor<[N] x f32> {graph.name = "x"}) -> (!graph.tensor<[8] x f32>, !graph.tensor<[8] x i64>)
    attributes {graph.program, graph.result = "({0}, {1})"} {
  %v, %i = graph.sort %x dim 0 descending : !graph.tensor<[N] x f32> -> !graph.tensor<[8] x f32>, !graph.tensor<[8] x i64>
  return %v, %i : !graph.tensor<[8] x f32>, !graph.tensor<[8] x i64>
}

// -----

// Of integers the values alone need no positions.
// CHECK-LABEL: func.func @integers_keys
// CHECK-NOT: arith.shli
// CHECK-LABEL: func.func @integers_sort_kernel
// CHECK: tile.sort %{{.*}} : tensor<{{.*}}xi32
func.func @integers(%x: !graph.tensor<[M, 64] x i16> {graph.name = "x"}) -> !graph.tensor<[M, 64] x i16>
    attributes {graph.program, graph.result = "{0}"} {
  %v, %i = graph.sort %x dim 1 : !graph.tensor<[M, 64] x i16> -> !graph.tensor<[M, 64] x i16>, !graph.tensor<[M, 64] x i64>
  return %v : !graph.tensor<[M, 64] x i16>
}

// -----

// Keys of 64 bits are sorted twice, by the lower half and then by the upper one.
// CHECK-LABEL: func.func @wide(
// CHECK: host.launch @wide_sort_kernel
// CHECK: host.launch @wide_sort_kernel
// CHECK-NOT: host.launch @wide_sort_kernel
func.func @wide(%x: !graph.tensor<[64] x i64> {graph.name = "x"}) -> !graph.tensor<[64] x i64>
    attributes {graph.program, graph.result = "{0}"} {
  %v, %i = graph.sort %x dim 0 : !graph.tensor<[64] x i64> -> !graph.tensor<[64] x i64>, !graph.tensor<[64] x i64>
  return %i : !graph.tensor<[64] x i64>
}

// -----

// A half that PyTorch rounds is rounded before it is sorted: what is equal then keeps its order.
// CHECK-LABEL: func.func @rounded_keys
// CHECK: arith.truncf
// CHECK: arith.extf
// CHECK: arith.bitcast
func.func @rounded(%x: !graph.tensor<[N] x f32> {graph.name = "x"}) -> !graph.tensor<[N] x i64>
    attributes {graph.program, graph.result = "{0}"} {
  %h = graph.cast %x {elidable} : !graph.tensor<[N] x f32> -> !graph.tensor<[N] x f16>
  %f = graph.cast %h : !graph.tensor<[N] x f16> -> !graph.tensor<[N] x f32>
  %v, %i = graph.sort %f dim 0 : !graph.tensor<[N] x f32> -> !graph.tensor<[N] x f32>, !graph.tensor<[N] x i64>
  return %i : !graph.tensor<[N] x i64>
}
