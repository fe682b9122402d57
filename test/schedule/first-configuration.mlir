// RUN: nereid-opt %s --schedule=stage=3 --split-input-file | FileCheck %s

// The first configuration is the one that small launches and NEREID_CONFIG=first run: 32 elements a lane for a row that
// is held, at the typical sizes.
// CHECK-LABEL: func.func @long_kernel
// CHECK-SAME: tile.configs = [#tile.config<{}, 32, 3>, #tile.config<{}, 16, 3>
func.func @long(%x: !graph.tensor<[M, N] x f32> {graph.name = "x"}) -> !graph.tensor<[M, N] x f32>
    attributes {graph.program, graph.result = "{0}", graph.hints = {M = 4096 : i64, N = 32768 : i64}} {
  %s = graph.fold sum %x [1] : !graph.tensor<[M, N] x f32> -> !graph.tensor<[M] x f32>
  %b = graph.broadcast %s [0] : !graph.tensor<[M] x f32> -> !graph.tensor<[M, N] x f32>
  %y = graph.sub %x, %b : !graph.tensor<[M, N] x f32>
  return %y : !graph.tensor<[M, N] x f32>
}

// -----

// Rows of halves that are read and written once are looped over sooner: two loops read them from the cache.
// CHECK-LABEL: func.func @halves(
// CHECK: host.cond <"N <= 16384">
func.func @halves(%x: !graph.tensor<[M, N] x bf16> {graph.name = "x"}) -> !graph.tensor<[M, N] x bf16>
    attributes {graph.program, graph.result = "{0}", graph.hints = {M = 4096 : i64, N = 32768 : i64}} {
  %w = graph.cast %x : !graph.tensor<[M, N] x bf16> -> !graph.tensor<[M, N] x f32>
  %s = graph.fold max %w [1] : !graph.tensor<[M, N] x f32> -> !graph.tensor<[M] x f32>
  %b = graph.broadcast %s [0] : !graph.tensor<[M] x f32> -> !graph.tensor<[M, N] x f32>
  %y = graph.sub %w, %b : !graph.tensor<[M, N] x f32>
  %h = graph.cast %y : !graph.tensor<[M, N] x f32> -> !graph.tensor<[M, N] x bf16>
  return %h : !graph.tensor<[M, N] x bf16>
}

// -----

// A sum over columns in fewer than 1024 programs of 64 rows has narrower ones.
// CHECK-LABEL: func.func @columns_kernel
// CHECK-SAME: tile.configs = [#tile.config<{BLOCK_M = 32 : i64, BLOCK_N = 32 : i64}, 4, 3>
func.func @columns(%x: !graph.tensor<[M, N] x f32> {graph.name = "x"}) -> !graph.tensor<[N] x f32>
    attributes {graph.program, graph.result = "{0}", graph.hints = {M = 512 : i64, N = 32768 : i64}} {
  %s = graph.fold sum %x [0] : !graph.tensor<[M, N] x f32> -> !graph.tensor<[N] x f32>
  return %s : !graph.tensor<[N] x f32>
}

// -----

// Of halves that the sum is stored as, the tiles are as narrow: what they read fills lines of the cache.
// CHECK-LABEL: func.func @halved_columns_kernel
// CHECK-SAME: tile.configs = [#tile.config<{BLOCK_M = 32 : i64, BLOCK_N = 32 : i64}, 4, 3>
func.func @halved_columns(%x: !graph.tensor<[M, N] x f32> {graph.name = "x"}) -> !graph.tensor<[N] x bf16>
    attributes {graph.program, graph.result = "{0}", graph.hints = {M = 512 : i64, N = 32768 : i64}} {
  %s = graph.fold sum %x [0] : !graph.tensor<[M, N] x f32> -> !graph.tensor<[N] x f32>
  %h = graph.cast %s : !graph.tensor<[N] x f32> -> !graph.tensor<[N] x bf16>
  return %h : !graph.tensor<[N] x bf16>
}

// -----

// While the sum waits for all lanes a lane keeps its elements of x: two programs share a multiprocessor's registers.
// CHECK-LABEL: func.func @one_number_kernel
// CHECK-SAME: tile.configs = [#tile.config<{}, 16, 3>
func.func @one_number(%x: !graph.tensor<[M, N] x f32> {graph.name = "x"}) -> !graph.tensor<[M, N] x f32>
    attributes {graph.program, graph.result = "{0}", graph.hints = {M = 4096 : i64, N = 16384 : i64}} {
  %s = graph.fold sum %x [1] : !graph.tensor<[M, N] x f32> -> !graph.tensor<[M] x f32>
  %b = graph.broadcast %s [0] : !graph.tensor<[M] x f32> -> !graph.tensor<[M, N] x f32>
  %y = graph.sub %x, %b : !graph.tensor<[M, N] x f32>
  return %y : !graph.tensor<[M, N] x f32>
}

// -----

// Of x and y they do not: a program that is alone has all the warps.
// CHECK-LABEL: func.func @two_numbers_kernel
// CHECK-SAME: tile.configs = [#tile.config<{}, 32, 3>, #tile.config<{}, 16, 3>
func.func @two_numbers(%x: !graph.tensor<[M, N] x f32> {graph.name = "x"},
    %y: !graph.tensor<[M, N] x f32> {graph.name = "y"}) -> !graph.tensor<[M, N] x f32>
    attributes {graph.program, graph.result = "{0}", graph.hints = {M = 4096 : i64, N = 16384 : i64}} {
  %p = graph.mul %x, %y : !graph.tensor<[M, N] x f32>
  %s = graph.fold sum %p [1] : !graph.tensor<[M, N] x f32> -> !graph.tensor<[M] x f32>
  %b = graph.broadcast %s [0] : !graph.tensor<[M] x f32> -> !graph.tensor<[M, N] x f32>
  %d = graph.sub %x, %b : !graph.tensor<[M, N] x f32>
  %z = graph.mul %d, %y : !graph.tensor<[M, N] x f32>
  return %z : !graph.tensor<[M, N] x f32>
}

// -----

// A span of long rows, none of which waits for a fold, hides by its warps that it waits for memory.
// CHECK-LABEL: func.func @product_and_columns_out0_kernel
// CHECK-SAME: tile.configs = [#tile.config<{}, 32, 3>, #tile.config<{}, 16, 3>
func.func @product_and_columns(%x: !graph.tensor<[M, N] x f32> {graph.name = "x"},
    %y: !graph.tensor<[M, N] x f32> {graph.name = "y"}) -> (!graph.tensor<[M, N] x f32>, !graph.tensor<[N] x f32>)
    attributes {graph.program, graph.result = "({0}, {1})", graph.hints = {M = 16384 : i64, N = 8192 : i64}} {
  %p = graph.mul %x, %y : !graph.tensor<[M, N] x f32>
  %s = graph.fold sum %p [0] : !graph.tensor<[M, N] x f32> -> !graph.tensor<[N] x f32>
  return %p, %s : !graph.tensor<[M, N] x f32>, !graph.tensor<[N] x f32>
}

// -----

// Three sums that are neighbours fill no block of 64: a tile is as high as they are, and longer.
// CHECK-LABEL: func.func @thirds_kernel
// CHECK-SAME: tile.configs = [#tile.config<{BLOCK_M = 4 : i64, BLOCK_N = 512 : i64}, 4, 3>
func.func @thirds(%x: !graph.tensor<[B, M, N] x f32> {graph.name = "x"}) -> !graph.tensor<[B, N] x f32>
    attributes {graph.program, graph.result = "{0}", graph.hints = {B = 65536 : i64, M = 600 : i64, N = 3 : i64}} {
  %s = graph.fold sum %x [1] : !graph.tensor<[B, M, N] x f32> -> !graph.tensor<[B, N] x f32>
  return %s : !graph.tensor<[B, N] x f32>
}
