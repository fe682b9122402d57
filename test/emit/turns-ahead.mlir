// RUN: nereid-emit %s | FileCheck %s

// A loop reads turns ahead while its tiles are small enough for shared memory, which the call decides.
// CHECK: for start in tl.range(
// CHECK-NEXT: 0, n, BLOCK_M, num_stages=3 if BLOCK_M * BLOCK_N <= 4096 else 1
// CHECK: for start in tl.range(0, n, BLOCK_M, num_stages=2):
func.func @ahead_kernel(%x: !tile.ptr<f32> {tile.name = "x_ptr"}, %n: i32 {tile.name = "n"}) attributes {tile.configs = [#tile.config<{BLOCK_M = 4 : i64, BLOCK_N = 64 : i64}, 4, 3>], tile.kernel, tile.meta = ["BLOCK_M", "BLOCK_N"]} {
  %c0 = arith.constant 0 : i32
  %m = tile.meta "BLOCK_M" = 4 : i32
  %k = tile.meta "BLOCK_N" = 64 : i32
  scf.for %i = %c0 to %n step %m : i32 {
    %p = tile.addptr %x, %i : !tile.ptr<f32>, i32
    %v = arith.constant 1.0 : f32
    tile.store %p, %v : !tile.ptr<f32>, f32
  } {tile.most_ahead = 4096 : i64, tile.num_stages = 3 : i64}
  scf.for %i = %c0 to %n step %m : i32 {
    %p = tile.addptr %x, %k : !tile.ptr<f32>, i32
    %v = arith.constant 1.0 : f32
    tile.store %p, %v : !tile.ptr<f32>, f32
  } {tile.num_stages = 2 : i64}
  return
}
