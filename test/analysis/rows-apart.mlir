// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: nereid-opt %s --prove-accesses -split-input-file -verify-diagnostics -o /dev/null

// A program's row lies along the middle axis; its number is of the outer and the inner one.
func.func @k(%x: !tile.ptr<f32>, %m: i32, %k: i32) attributes {tile.kernel} {
  %pid = tile.program_id 0
  %outer = arith.divsi %pid, %k : i32
  %inner = arith.remsi %pid, %k : i32
  %mk = arith.muli %m, %k : i32
  %start = arith.muli %outer, %mk : i32
  %base = arith.addi %start, %inner : i32
  %bases = tile.splat %base : i32 -> tensor<4xi32>
  %range = tile.range 0 : tensor<4xi32>
  %ks = tile.splat %k : i32 -> tensor<4xi32>
  %ms = tile.splat %m : i32 -> tensor<4xi32>
  %mask = arith.cmpi slt, %range, %ms : tensor<4xi32>
  %steps = arith.muli %range, %ks : tensor<4xi32>
  %offs = arith.addi %bases, %steps : tensor<4xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<4x!tile.ptr<f32>>
  %xp = tile.addptr %xs, %offs : tensor<4x!tile.ptr<f32>>, tensor<4xi32>
  %one = arith.constant dense<1.0> : tensor<4xf32>
  // expected-remark @below {{PROVED in bounds}}
  // expected-remark @below {{PROVED apart (tier 1)}}
  tile.store %xp, %one mask %mask : tensor<4xi1> : tensor<4x!tile.ptr<f32>>, tensor<4xf32>
  return
}
func.func @f(%x: !host.tensor<[N, 4, K] x f32, [4*K, K, 1]>) attributes {host.program} {
  host.check <"4 * N * K <= 1000000">, "too large"
  %m = host.size <"4">
  %k = host.size <"K">
  host.launch @k grid [#sym.expr<"N*K">](%x, %m, %k) meta {} : !host.tensor<[N, 4, K] x f32, [4*K, K, 1]>, i64, i64
  return
}

// -----

// Strided rows of 32 elements: blocks of 64 are taken apart by a number that divides them.
func.func @k(%x: !tile.ptr<f32>, %m: i32, %n: i32, %s0: i64, %s1: i64, %s2: i64) attributes {tile.kernel} {
  %c64 = arith.constant 64 : i32
  %pid = tile.program_id 0
  %start = arith.muli %pid, %c64 : i32
  %starts = tile.splat %start : i32 -> tensor<64xi32>
  %range = tile.range 0 : tensor<64xi32>
  %at = arith.addi %starts, %range : tensor<64xi32>
  %ns = tile.splat %n : i32 -> tensor<64xi32>
  %mask = arith.cmpi slt, %at, %ns : tensor<64xi32>
  %c32 = arith.constant dense<32> : tensor<64xi32>
  %ms = tile.splat %m : i32 -> tensor<64xi32>
  %k = arith.remsi %at, %c32 : tensor<64xi32>
  %row = arith.divsi %at, %c32 : tensor<64xi32>
  %j = arith.remsi %row, %ms : tensor<64xi32>
  %i = arith.divsi %row, %ms : tensor<64xi32>
  %wi = arith.extsi %i : tensor<64xi32> to tensor<64xi64>
  %wj = arith.extsi %j : tensor<64xi32> to tensor<64xi64>
  %wk = arith.extsi %k : tensor<64xi32> to tensor<64xi64>
  %s0s = tile.splat %s0 : i64 -> tensor<64xi64>
  %s1s = tile.splat %s1 : i64 -> tensor<64xi64>
  %s2s = tile.splat %s2 : i64 -> tensor<64xi64>
  %oi = arith.muli %wi, %s0s : tensor<64xi64>
  %oj = arith.muli %wj, %s1s : tensor<64xi64>
  %ok = arith.muli %wk, %s2s : tensor<64xi64>
  %o = arith.addi %oi, %oj : tensor<64xi64>
  %offs = arith.addi %o, %ok : tensor<64xi64>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %xp = tile.addptr %xs, %offs : tensor<64x!tile.ptr<f32>>, tensor<64xi64>
  %one = arith.constant dense<1.0> : tensor<64xf32>
  // expected-remark @below {{PROVED in bounds}}
  // expected-remark @below {{PROVED apart (tier 1)}}
  tile.store %xp, %one mask %mask : tensor<64xi1> : tensor<64x!tile.ptr<f32>>, tensor<64xf32>
  return
}
func.func @f(%like: !host.tensor<[B, M, 32] x f32, [a, b, c]>) attributes {host.program} {
  %x = host.empty like %like : !host.tensor<[B, M, 32] x f32, [a, b, c]> -> !host.tensor<[B, M, 32] x f32, [p, q, r]>
  host.check <"32 * B * M <= 1000000">, "too large"
  %m = host.size <"M">
  %n = host.size <"32 * B * M">
  %s0 = host.size <"p">
  %s1 = host.size <"q">
  %s2 = host.size <"r">
  host.launch @k grid [#sym.expr<"cdiv(B*M, 2)">](%x, %m, %n, %s0, %s1, %s2) meta {} : !host.tensor<[B, M, 32] x f32, [p, q, r]>, i64, i64, i64, i64, i64
  return
}
