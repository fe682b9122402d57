// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: nereid-opt %s --prove-accesses -split-input-file -verify-diagnostics -o /dev/null

// A mask by the tensor's size.
func.func @k(%x: !tile.ptr<f32>, %n: i32) attributes {tile.kernel} {
  %c4 = arith.constant 4 : i32
  %pid = tile.program_id 0
  %start = arith.muli %pid, %c4 : i32
  %starts = tile.splat %start : i32 -> tensor<4xi32>
  %range = tile.range 0 : tensor<4xi32>
  %offs = arith.addi %starts, %range : tensor<4xi32>
  %ns = tile.splat %n : i32 -> tensor<4xi32>
  %mask = arith.cmpi slt, %offs, %ns : tensor<4xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<4x!tile.ptr<f32>>
  %xp = tile.addptr %xs, %offs : tensor<4x!tile.ptr<f32>>, tensor<4xi32>
  %one = arith.constant dense<1.0> : tensor<4xf32>
  // expected-remark @below {{PROVED in bounds (tier 1)}}
  // expected-remark @below {{PROVED apart (tier 1)}}
  tile.store %xp, %one mask %mask : tensor<4xi1> : tensor<4x!tile.ptr<f32>>, tensor<4xf32>
  return
}
func.func @f(%x: !host.tensor<[N] x f32, [1]>) attributes {host.program} {
  host.check <"N <= 1000000">, "too long"
  %n = host.size <"N">
  host.launch @k grid [#sym.expr<"cdiv(N, 4)">](%x, %n) meta {} : !host.tensor<[N] x f32, [1]>, i64
  return
}

// -----

// Ranges alone: a grid and a tensor of fixed sizes.
func.func @k(%x: !tile.ptr<f32>, %n: i32) attributes {tile.kernel} {
  %c4 = arith.constant 4 : i32
  %pid = tile.program_id 0
  %start = arith.muli %pid, %c4 : i32
  %starts = tile.splat %start : i32 -> tensor<4xi32>
  %range = tile.range 0 : tensor<4xi32>
  %offs = arith.addi %starts, %range : tensor<4xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<4x!tile.ptr<f32>>
  %xp = tile.addptr %xs, %offs : tensor<4x!tile.ptr<f32>>, tensor<4xi32>
  %one = arith.constant dense<1.0> : tensor<4xf32>
  // expected-remark @below {{PROVED in bounds (tier 0)}}
  // expected-remark @below {{PROVED apart (tier 1)}}
  tile.store %xp, %one : tensor<4x!tile.ptr<f32>>, tensor<4xf32>
  return
}
func.func @f(%x: !host.tensor<[12] x f32, [1]>) attributes {host.program} {
  host.check <"N <= 1000000">, "too long"
  %n = host.size <"N">
  host.launch @k grid [#sym.expr<"3">](%x, %n) meta {} : !host.tensor<[12] x f32, [1]>, i64
  return
}

// -----

// A neighbour around the end of a row: what leaves it on one side comes in on the other.
func.func @k(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>, %n: i32) attributes {tile.kernel} {
  %pid = tile.program_id 0
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %left = arith.subi %pid, %one : i32
  %isBelow = arith.cmpi slt, %left, %zero : i32
  %fromEnd = arith.addi %left, %n : i32
  %before = arith.select %isBelow, %fromEnd, %left : i32
  %xp = tile.addptr %x, %before : !tile.ptr<f32>, i32
  // expected-remark @below {{PROVED in bounds}}
  %v = tile.load %xp : !tile.ptr<f32> -> f32
  %right = arith.addi %pid, %one : i32
  %isPast = arith.cmpi sge, %right, %n : i32
  %fromStart = arith.subi %right, %n : i32
  %behind = arith.select %isPast, %fromStart, %right : i32
  %xq = tile.addptr %x, %behind : !tile.ptr<f32>, i32
  // expected-remark @below {{PROVED in bounds}}
  %w = tile.load %xq : !tile.ptr<f32> -> f32
  return
}
func.func @f(%x: !host.tensor<[N] x f32, [1]>, %y: !host.tensor<[N] x f32, [1]>) attributes {host.program} {
  host.check <"N <= 1000000">, "too long"
  %n = host.size <"N">
  host.launch @k grid [#sym.expr<"N">](%x, %y, %n) meta {} : !host.tensor<[N] x f32, [1]>, !host.tensor<[N] x f32, [1]>, i64
  return
}

// -----

// Python's remainder and quotient of what may be below 0, made of the machine's.
func.func @k(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>, %n: i32) attributes {tile.kernel} {
  %pid = tile.program_id 0
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %before = arith.subi %pid, %one : i32
  %rest = arith.remsi %before, %n : i32
  %below = arith.cmpi slt, %rest, %zero : i32
  %moved = arith.addi %rest, %n : i32
  %mod = arith.select %below, %moved, %rest : i32
  %xp = tile.addptr %x, %mod : !tile.ptr<f32>, i32
  // expected-remark @below {{PROVED in bounds (tier 1)}}
  %v = tile.load %xp : !tile.ptr<f32> -> f32
  %whole = arith.subi %before, %mod : i32
  %quotient = arith.divsi %whole, %n : i32
  %row = arith.addi %quotient, %one : i32
  %yp = tile.addptr %y, %row : !tile.ptr<f32>, i32
  // expected-remark @below {{PROVED in bounds}}
  %w = tile.load %yp : !tile.ptr<f32> -> f32
  return
}
func.func @f(%x: !host.tensor<[N] x f32, [1]>, %y: !host.tensor<[2] x f32, [1]>) attributes {host.program} {
  %n = host.size <"N">
  host.launch @k grid [#sym.expr<"N">](%x, %y, %n) meta {} : !host.tensor<[N] x f32, [1]>, !host.tensor<[2] x f32, [1]>, i64
  return
}

// -----

// Rows by loaded numbers: the mask and the address read the numbers along one axis of the tile, each for itself.
func.func @k(%x: !tile.ptr<f32>, %i: !tile.ptr<i32>) attributes {tile.kernel} {
  %range = tile.range 0 : tensor<4xi32>
  %is = tile.splat %i : !tile.ptr<i32> -> tensor<4x!tile.ptr<i32>>
  %ip = tile.addptr %is, %range : tensor<4x!tile.ptr<i32>>, tensor<4xi32>
  // expected-remark @below {{PROVED in bounds}}
  %row = tile.load %ip : tensor<4x!tile.ptr<i32>> -> tensor<4xi32>
  %zeros = arith.constant dense<0> : tensor<4xi32>
  %tens = arith.constant dense<10> : tensor<4xi32>
  %low = arith.cmpi sge, %row, %zeros : tensor<4xi32>
  %high = arith.cmpi slt, %row, %tens : tensor<4xi32>
  %inside = arith.andi %low, %high : tensor<4xi1>
  %inside1 = tile.expand_dims %inside 1 : tensor<4xi1> -> tensor<4x1xi1>
  %mask = tile.broadcast %inside1 : tensor<4x1xi1> -> tensor<4x4xi1>
  %fours = arith.constant dense<4> : tensor<4xi32>
  %wide = arith.muli %row, %fours : tensor<4xi32>
  %rows1 = tile.expand_dims %wide 1 : tensor<4xi32> -> tensor<4x1xi32>
  %rows = tile.broadcast %rows1 : tensor<4x1xi32> -> tensor<4x4xi32>
  %columns1 = tile.expand_dims %range 0 : tensor<4xi32> -> tensor<1x4xi32>
  %columns = tile.broadcast %columns1 : tensor<1x4xi32> -> tensor<4x4xi32>
  %offs = arith.addi %rows, %columns : tensor<4x4xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<4x4x!tile.ptr<f32>>
  %xp = tile.addptr %xs, %offs : tensor<4x4x!tile.ptr<f32>>, tensor<4x4xi32>
  // expected-remark @below {{PROVED in bounds}}
  %y = tile.load %xp mask %mask : tensor<4x4xi1> : tensor<4x4x!tile.ptr<f32>> -> tensor<4x4xf32>
  return
}
func.func @f(%x: !host.tensor<[10, 4] x f32, [4, 1]>, %i: !host.tensor<[4] x i32, [1]>) attributes {host.program} {
  host.launch @k grid [#sym.expr<"1">](%x, %i) meta {} : !host.tensor<[10, 4] x f32, [4, 1]>, !host.tensor<[4] x i32, [1]>
  return
}

// -----

// Under a mask that is false no lane is executed.
func.func @k(%x: !tile.ptr<f32>) attributes {tile.kernel} {
  %range = tile.range 0 : tensor<4xi32>
  %none = arith.constant dense<false> : tensor<4xi1>
  %far = arith.constant dense<100> : tensor<4xi32>
  %two = arith.constant dense<2> : tensor<4xi32>
  %some = arith.cmpi slt, %range, %two : tensor<4xi32>
  %mask = arith.andi %some, %none : tensor<4xi1>
  %offs = arith.addi %range, %far : tensor<4xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<4x!tile.ptr<f32>>
  %xp = tile.addptr %xs, %offs : tensor<4x!tile.ptr<f32>>, tensor<4xi32>
  // expected-remark @below {{PROVED in bounds (tier 0)}}
  %y = tile.load %xp mask %mask : tensor<4xi1> : tensor<4x!tile.ptr<f32>> -> tensor<4xf32>
  // expected-remark @below {{PROVED in bounds (tier 0)}}
  // expected-remark @below {{PROVED apart (tier 0)}}
  tile.store %xp, %y mask %mask : tensor<4xi1> : tensor<4x!tile.ptr<f32>>, tensor<4xf32>
  return
}
func.func @f(%x: !host.tensor<[4] x f32, [1]>) attributes {host.program} {
  host.launch @k grid [#sym.expr<"3">](%x) meta {} : !host.tensor<[4] x f32, [1]>
  return
}
