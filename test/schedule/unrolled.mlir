// RUN: nereid-opt %s --schedule=stage=3 | FileCheck %s

// A fold of a few elements that lie far apart is their sum: a load for each, no tile and no loop.

// CHECK: func.func @heads{{.*}}kernel
// CHECK-COUNT-4: tile.load
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
// CHECK-COUNT-3: tile.load
// CHECK-NOT: tile.load
// CHECK-COUNT-3: tile.store
// CHECK-NOT: tile.store
// CHECK: return
func.func @colours(%x: !graph.tensor<[B, 3, N] x f32> {graph.name = "x"}) -> !graph.tensor<[B, 3, N] x f32>
    attributes {graph.program, graph.result = "{0}", graph.hints = {B = 64 : i64, N = 4096 : i64}} {
  %0 = graph.fold max %x [1] : <[B, 3, N] x f32> -> <[B, N] x f32>
  %1 = graph.broadcast %0 [0, 2] : <[B, N] x f32> -> <[B, 3, N] x f32>
  %2 = graph.sub %x, %1 : !graph.tensor<[B, 3, N] x f32>
  return %2 : !graph.tensor<[B, 3, N] x f32>
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
