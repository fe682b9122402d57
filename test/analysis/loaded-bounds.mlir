// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: nereid-opt %s --prove-accesses -split-input-file -verify-diagnostics -o /dev/null

// A loop from one loaded number to another, both held within the size. A number is the same for all lanes, also
// where the columns become a tile of two axes: what the loop says of its counter is said of the mask and the address.
func.func @k(%x: !tile.ptr<f32>, %bounds: !tile.ptr<i64>, %n: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c4 = arith.constant 4 : i32
  %wide = arith.extsi %n : i32 to i64
  // expected-remark @below {{PROVED in bounds}}
  %first = tile.load %bounds : !tile.ptr<i64> -> i64
  %next = tile.addptr %bounds, %c1 : !tile.ptr<i64>, i64
  // expected-remark @below {{PROVED in bounds}}
  %last = tile.load %next : !tile.ptr<i64> -> i64
  %first_most = arith.minsi %first, %wide : i64
  %first_held = arith.maxsi %first_most, %c0 : i64
  %last_most = arith.minsi %last, %wide : i64
  %last_held = arith.maxsi %last_most, %c0 : i64
  %start = arith.trunci %first_held : i64 to i32
  %stop = arith.trunci %last_held : i64 to i32
  %range = tile.range 0 : tensor<4xi32>
  %rows = tile.range 0 : tensor<2xi32>
  %zero = arith.constant dense<0.0> : tensor<2x4xf32>
  %sum = scf.for %at = %start to %stop step %c4 iter_args(%acc = %zero) -> (tensor<2x4xf32>) : i32 {
    %starts = tile.splat %at : i32 -> tensor<4xi32>
    %cols = arith.addi %starts, %range : tensor<4xi32>
    %stops = tile.splat %stop : i32 -> tensor<4xi32>
    %mask = arith.cmpi slt, %cols, %stops : tensor<4xi32>
    %wide_cols = arith.extsi %cols : tensor<4xi32> to tensor<4xi64>
    %c2 = arith.constant dense<2> : tensor<4xi64>
    %offsets = arith.muli %wide_cols, %c2 : tensor<4xi64>
    %offsets_2 = tile.expand_dims %offsets 0 : tensor<4xi64> -> tensor<1x4xi64>
    %offsets_all = tile.broadcast %offsets_2 : tensor<1x4xi64> -> tensor<2x4xi64>
    %wide_rows = arith.extsi %rows : tensor<2xi32> to tensor<2xi64>
    %rows_2 = tile.expand_dims %wide_rows 1 : tensor<2xi64> -> tensor<2x1xi64>
    %rows_all = tile.broadcast %rows_2 : tensor<2x1xi64> -> tensor<2x4xi64>
    %place = arith.addi %offsets_all, %rows_all : tensor<2x4xi64>
    %mask_2 = tile.expand_dims %mask 0 : tensor<4xi1> -> tensor<1x4xi1>
    %mask_all = tile.broadcast %mask_2 : tensor<1x4xi1> -> tensor<2x4xi1>
    %xs = tile.splat %x : !tile.ptr<f32> -> tensor<2x4x!tile.ptr<f32>>
    %xp = tile.addptr %xs, %place : tensor<2x4x!tile.ptr<f32>>, tensor<2x4xi64>
    // expected-remark @below {{PROVED in bounds (tier 1)}}
    %v = tile.load %xp mask %mask_all : tensor<2x4xi1> other %zero : tensor<2x4xf32> : tensor<2x4x!tile.ptr<f32>> -> tensor<2x4xf32>
    %more = arith.addf %acc, %v : tensor<2x4xf32>
    scf.yield %more : tensor<2x4xf32>
  }
  return
}
func.func @f(%x: !host.tensor<[N, 2] x f32, [2, 1]>, %b: !host.tensor<[2] x i64, [1]>) attributes {host.program} {
  host.check <"N <= 1000000">, "too long"
  %n = host.size <"N">
  host.launch @k grid [#sym.expr<"1">](%x, %b, %n) meta {} : !host.tensor<[N, 2] x f32, [2, 1]>, !host.tensor<[2] x i64, [1]>, i64
  return
}

// -----

// A loaded number rounded down to a multiple of 4: the machine's quotient less 1 where the remainder is below 0 is the
// quotient over the integers, whatever the sign of the number.
func.func @k(%x: !tile.ptr<f32>, %places: !tile.ptr<i32>, %n: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c4 = arith.constant 4 : i32
  // expected-remark @below {{PROVED in bounds}}
  %place = tile.load %places : !tile.ptr<i32> -> i32
  %quotient = arith.divsi %place, %c4 : i32
  %rest = arith.remsi %place, %c4 : i32
  %differs = arith.cmpi ne, %rest, %c0 : i32
  %signs = arith.xori %rest, %c4 : i32
  %apart = arith.cmpi slt, %signs, %c0 : i32
  %below = arith.andi %differs, %apart : i1
  %less = arith.subi %quotient, %c1 : i32
  %floor = arith.select %below, %less, %quotient : i32
  %low = arith.cmpi sge, %floor, %c0 : i32
  %high = arith.cmpi slt, %place, %n : i32
  %mask = arith.andi %low, %high : i1
  %xp = tile.addptr %x, %floor : !tile.ptr<f32>, i32
  %zero = arith.constant 0.0 : f32
  // expected-remark @below {{PROVED in bounds (tier 1)}}
  %v = tile.load %xp mask %mask : i1 other %zero : f32 : !tile.ptr<f32> -> f32
  return
}
func.func @f(%x: !host.tensor<[N] x f32, [1]>, %b: !host.tensor<[1] x i32, [1]>) attributes {host.program} {
  %n = host.size <"4 * N">
  host.launch @k grid [#sym.expr<"1">](%x, %b, %n) meta {} : !host.tensor<[N] x f32, [1]>, !host.tensor<[1] x i32, [1]>, i64
  return
}
