// RUN: nereid-opt %s --schedule=stage=3 | FileCheck %s

// A fold of a few elements that lie far apart is their sum: one after the other, in a loop that the compiler writes out.

// CHECK: func.func @heads{{.*}}kernel
// CHECK: scf.for
// CHECK-COUNT-1: tile.load
// CHECK: tile.static
// CHECK-NOT: tile.load
// CHECK-NOT: tile.reduce
// CHECK: tile.store
// CHECK: return
func.func @heads(%x: !graph.tensor<[B, 4, N] x f32> {graph.name = "x"}) -> !graph.tensor<[B, N] x f32>
    attributes {graph.program, graph.result = "{0}", graph.hints = {B = 64 : i64, N = 4096 : i64}} {
  %0 = graph.fold sum %x [1] : <[B, 4, N] x f32> -> <[B, N] x f32>
  return %0 : !graph.tensor<[B, N] x f32>
}

// What is made of the fold for each of the elements is stored next to it: all is read once.

// CHECK: func.func @colours{{.*}}kernel
// CHECK-COUNT-4: tile.load
// CHECK-NOT: tile.load
// CHECK-COUNT-4: tile.store
// CHECK-NOT: tile.store
// CHECK: return
func.func @colours(%x: !graph.tensor<[B, 4, N] x f32> {graph.name = "x"}) -> !graph.tensor<[B, 4, N] x f32>
    attributes {graph.program, graph.result = "{0}", graph.hints = {B = 64 : i64, N = 4096 : i64}} {
  %0 = graph.fold max %x [1] : <[B, 4, N] x f32> -> <[B, N] x f32>
  %1 = graph.broadcast %0 [0, 2] : <[B, N] x f32> -> <[B, 4, N] x f32>
  %2 = graph.sub %x, %1 : !graph.tensor<[B, 4, N] x f32>
  return %2 : !graph.tensor<[B, 4, N] x f32>
}

// Several such sums of one tensor share its loop: what they read in common is read once.

// CHECK: func.func @moments{{.*}}kernel
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}})
// CHECK-COUNT-1: tile.load
// CHECK: tile.static
// CHECK-NOT: scf.for
// CHECK: return
func.func @moments(%x: !graph.tensor<[B, 8, N] x f32> {graph.name = "x"}) -> (!graph.tensor<[B, N] x f32>, !graph.tensor<[B, N] x f32>)
    attributes {graph.program, graph.result = "({0}, {1})", graph.hints = {B = 64 : i64, N = 4096 : i64}} {
  %0 = graph.fold sum %x [1] : <[B, 8, N] x f32> -> <[B, N] x f32>
  %1 = graph.mul %x, %x : !graph.tensor<[B, 8, N] x f32>
  %2 = graph.fold sum %1 [1] : <[B, 8, N] x f32> -> <[B, N] x f32>
  return %0, %2 : !graph.tensor<[B, N] x f32>, !graph.tensor<[B, N] x f32>
}

// Where pieces are read by turns, code for each is less.

// CHECK: func.func @pieces{{.*}}kernel
// CHECK-NOT: scf.for
// CHECK-COUNT-4: tile.load
// CHECK-NOT: arith.select
// CHECK: return
func.func @pieces(%x: !graph.tensor<[B, 2, N] x f32> {graph.name = "x"}, %y: !graph.tensor<[B, 2, N] x f32> {graph.name = "y"}) -> !graph.tensor<[B, N] x f32>
    attributes {graph.program, graph.result = "{0}", graph.hints = {B = 64 : i64, N = 4096 : i64}} {
  %0 = graph.concat %x, %y dim 1 : !graph.tensor<[B, 2, N] x f32>, !graph.tensor<[B, 2, N] x f32> -> !graph.tensor<[B, 4, N] x f32>
  %1 = graph.fold sum %0 [1] : <[B, 4, N] x f32> -> <[B, N] x f32>
  return %1 : !graph.tensor<[B, N] x f32>
}

// An axis in one piece of memory stays a tile's.

// CHECK: func.func @together{{.*}}kernel
// CHECK: tile.reduce
func.func @together(%x: !graph.tensor<[M, 4] x f32> {graph.name = "x"}) -> !graph.tensor<[M] x f32>
    attributes {graph.program, graph.result = "{0}", graph.hints = {M = 4096 : i64}} {
  %0 = graph.fold sum %x [1] : <[M, 4] x f32> -> <[M] x f32>
  return %0 : !graph.tensor<[M] x f32>
}

// The parts of a stack have a store each, and no lane loads what it does not store.

// CHECK: func.func @stacked{{.*}}kernel
// CHECK-COUNT-2: tile.load
// CHECK-NOT: tile.load
// CHECK-NOT: arith.select
// CHECK-COUNT-2: tile.store
// CHECK: return
func.func @stacked(%x: !graph.tensor<[B, 1, N] x f32> {graph.name = "x"}, %y: !graph.tensor<[B, 1, N] x f32> {graph.name = "y"}) -> !graph.tensor<[B, 2, N] x f32>
    attributes {graph.program, graph.result = "{0}", graph.hints = {B = 64 : i64, N = 4096 : i64}} {
  %0 = graph.concat %x, %y dim 1 : !graph.tensor<[B, 1, N] x f32>, !graph.tensor<[B, 1, N] x f32> -> !graph.tensor<[B, 2, N] x f32>
  return %0 : !graph.tensor<[B, 2, N] x f32>
}

// Elements that alternate are joined: both are stored at once.

// CHECK: func.func @alternating{{.*}}kernel
// CHECK-NOT: arith.select
// CHECK: tile.join {{.*}}tensor<1024x2xf32
// CHECK: tile.store
// CHECK-NOT: tile.store
// CHECK: return
func.func @alternating(%x: !graph.tensor<[M, N, 1] x f32> {graph.name = "x"}, %y: !graph.tensor<[M, N, 1] x f32> {graph.name = "y"}) -> !graph.tensor<[M, N, 2] x f32>
    attributes {graph.program, graph.result = "{0}", graph.hints = {M = 64 : i64, N = 4096 : i64}} {
  %0 = graph.concat %x, %y dim 2 : !graph.tensor<[M, N, 1] x f32>, !graph.tensor<[M, N, 1] x f32> -> !graph.tensor<[M, N, 2] x f32>
  return %0 : !graph.tensor<[M, N, 2] x f32>
}
