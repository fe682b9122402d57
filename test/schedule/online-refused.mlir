// RUN: nereid-opt %s --schedule=stage=3 --split-input-file | FileCheck %s

// No finite state follows the reference through tanh: a loop of its own, and the kernel says why.
// CHECK-LABEL: func.func @squashed_long_kernel
// CHECK-SAME: Goes over the row again for out: tanh is taken of elements and results together.
// CHECK-COUNT-2: scf.for
func.func @squashed(%x: !graph.tensor<[M, N] x f32> {graph.name = "x"}) -> !graph.tensor<[M] x f32>
    attributes {graph.program, graph.result = "{0}", graph.hints = {M = 4096 : i64, N = 65536 : i64}} {
  %m = graph.fold max %x [1] : !graph.tensor<[M, N] x f32> -> !graph.tensor<[M] x f32>
  %b = graph.broadcast %m [0] : !graph.tensor<[M] x f32> -> !graph.tensor<[M, N] x f32>
  %c = graph.sub %x, %b : !graph.tensor<[M, N] x f32>
  %t = graph.tanh %c : !graph.tensor<[M, N] x f32>
  %s = graph.fold sum %t [1] : !graph.tensor<[M, N] x f32> -> !graph.tensor<[M] x f32>
  return %s : !graph.tensor<[M] x f32>
}

// -----

// A rounding that the user wrote does not change places with the sum.
// CHECK-LABEL: func.func @quantised_long_kernel
// CHECK-SAME: Goes over the row again for out: what is made of elements and results is rounded.
// CHECK-COUNT-2: scf.for
func.func @quantised(%x: !graph.tensor<[M, N] x f32> {graph.name = "x"}) -> !graph.tensor<[M] x f32>
    attributes {graph.program, graph.result = "{0}", graph.hints = {M = 4096 : i64, N = 65536 : i64}} {
  %m = graph.fold max %x [1] : !graph.tensor<[M, N] x f32> -> !graph.tensor<[M] x f32>
  %b = graph.broadcast %m [0] : !graph.tensor<[M] x f32> -> !graph.tensor<[M, N] x f32>
  %d = graph.div %x, %b : !graph.tensor<[M, N] x f32>
  %i = graph.cast %d : !graph.tensor<[M, N] x f32> -> !graph.tensor<[M, N] x i8>
  %f = graph.cast %i : !graph.tensor<[M, N] x i8> -> !graph.tensor<[M, N] x f32>
  %s = graph.fold sum %f [1] : !graph.tensor<[M, N] x f32> -> !graph.tensor<[M] x f32>
  return %s : !graph.tensor<[M] x f32>
}

// -----

// The least element as centre of exp(x): it may be infinite where the lane's greatest is not, so that an infinite
// element is lost.
// CHECK-LABEL: func.func @far_long_kernel
// CHECK-SAME: what is subtracted does not come from the extreme element
// CHECK-COUNT-2: scf.for
func.func @far(%x: !graph.tensor<[M, N] x f32> {graph.name = "x"}) -> !graph.tensor<[M] x f32>
    attributes {graph.program, graph.result = "{0}", graph.hints = {M = 4096 : i64, N = 65536 : i64}} {
  %m = graph.fold min %x [1] : !graph.tensor<[M, N] x f32> -> !graph.tensor<[M] x f32>
  %b = graph.broadcast %m [0] : !graph.tensor<[M] x f32> -> !graph.tensor<[M, N] x f32>
  %c = graph.sub %x, %b : !graph.tensor<[M, N] x f32>
  %e = graph.exp2 %c : !graph.tensor<[M, N] x f32>
  %s = graph.fold sum %e [1] : !graph.tensor<[M, N] x f32> -> !graph.tensor<[M] x f32>
  return %s : !graph.tensor<[M] x f32>
}
