// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: nereid-opt %s --prove-accesses -split-input-file -verify-diagnostics -o /dev/null

// A loaded index: nothing is known of the data.
func.func @k(%x: !tile.ptr<f32>, %i: !tile.ptr<i32>) attributes {tile.kernel} {
  %pid = tile.program_id 0
  %ip = tile.addptr %i, %pid : !tile.ptr<i32>, i32
  // expected-remark @below {{PROVED in bounds}}
  %at = tile.load %ip : !tile.ptr<i32> -> i32
  %xp = tile.addptr %x, %at : !tile.ptr<f32>, i32
  // expected-remark @below {{UNKNOWN in bounds: 'v0 >= 0' is not known; v0 is the result of 'tile.load'}}
  %v = tile.load %xp : !tile.ptr<f32> -> f32
  return
}
func.func @f(%x: !host.tensor<[V] x f32, [1]>, %i: !host.tensor<[N] x i32, [1]>) attributes {host.program} {
  host.launch @k grid [#sym.expr<N>](%x, %i) meta {} : !host.tensor<[V] x f32, [1]>, !host.tensor<[N] x i32, [1]>
  return
}

// -----

// Sizes without a bound: 32-bit arithmetic may wrap.
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
  // expected-remark @below {{UNKNOWN in bounds: machine arithmetic may wrap or divide oddly: 'pid0 <= 536870911' is not known}}
  // expected-remark @below {{UNKNOWN apart}}
  tile.store %xp, %one mask %mask : tensor<4xi1> : tensor<4x!tile.ptr<f32>>, tensor<4xf32>
  return
}
func.func @f(%x: !host.tensor<[N] x f32, [1]>) attributes {host.program} {
  host.check <"N >= 0">, "too long"
  %n = host.size <"N">
  host.launch @k grid [#sym.expr<"cdiv(N, 4) + 1">](%x, %n) meta {} : !host.tensor<[N] x f32, [1]>, i64
  return
}

// -----

// The other arm of a condition on data: whether it is executed is not known, so nothing is refuted.
func.func @k(%x: !tile.ptr<f32>, %i: !tile.ptr<i1>) attributes {tile.kernel} {
  %far = arith.constant 5 : i32
  %one = arith.constant 1.0 : f32
  %xp = tile.addptr %x, %far : !tile.ptr<f32>, i32
  // expected-remark @below {{PROVED in bounds}}
  %flag = tile.load %i : !tile.ptr<i1> -> i1
  scf.if %flag {
  } else {
    // expected-remark @below {{UNKNOWN in bounds: 'V >= 6' is not known}}
    %v = tile.load %xp : !tile.ptr<f32> -> f32
  }
  return
}
func.func @f(%x: !host.tensor<[V] x f32, [1]>, %i: !host.tensor<[1] x i1, [1]>) attributes {host.program} {
  host.launch @k grid [#sym.expr<1>](%x, %i) meta {} : !host.tensor<[V] x f32, [1]>, !host.tensor<[1] x i1, [1]>
  return
}

// -----

// A choice between two sums that both may wrap says nothing about whether they do.
func.func @k(%x: !tile.ptr<f32>, %c: !tile.ptr<i32>, %n: i32, %m: i32) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  // expected-remark @below {{PROVED in bounds (tier 0)}}
  %which = tile.load %c : !tile.ptr<i32> -> i32
  %isA = arith.cmpi slt, %which, %zero : i32
  %a = arith.addi %n, %m : i32
  %b = arith.addi %a, %one : i32
  %at = arith.select %isA, %a, %b : i32
  %xp = tile.addptr %x, %at : !tile.ptr<f32>, i32
  // expected-remark @below {{UNKNOWN in bounds: machine arithmetic may wrap or divide oddly: 'M + N <= 2147483647' is not known}}
  %y = tile.load %xp : !tile.ptr<f32> -> f32
  return
}
func.func @f(%x: !host.tensor<[N + M + 2] x f32, [1]>, %c: !host.tensor<[1] x i32, [1]>) attributes {host.program} {
  host.check <"N + M >= 2147483648">, "too small"
  %n = host.size <"N">
  %m = host.size <"M">
  host.launch @k grid [#sym.expr<"1">](%x, %c, %n, %m) meta {} : !host.tensor<[N + M + 2] x f32, [1]>, !host.tensor<[1] x i32, [1]>, i64, i64
  return
}

// -----

// A shift by the width of its type or more is poison, not a quotient by a power of two: what would
// be 0 is anything.
func.func @k(%x: !tile.ptr<f32>) attributes {tile.kernel} {
  %c31 = arith.constant 31 : i32
  %c32 = arith.constant 32 : i32
  %pid = tile.program_id 0
  %zero = arith.shrsi %pid, %c31 : i32
  %near = tile.addptr %x, %zero : !tile.ptr<f32>, i32
  // expected-remark @below {{PROVED in bounds}}
  %u = tile.load %near : !tile.ptr<f32> -> f32
  %signed = arith.shrsi %pid, %c32 : i32
  %xp = tile.addptr %x, %signed : !tile.ptr<f32>, i32
  // expected-remark @below {{UNKNOWN in bounds: 'v0 >= 0' is not known; v0 is the result of 'arith.shrsi'}}
  %v = tile.load %xp : !tile.ptr<f32> -> f32
  %unsigned = arith.shrui %pid, %c32 : i32
  %yp = tile.addptr %x, %unsigned : !tile.ptr<f32>, i32
  // expected-remark @below {{UNKNOWN in bounds: 'v1 >= 0' is not known; v1 is the result of 'arith.shrui'}}
  %w = tile.load %yp : !tile.ptr<f32> -> f32
  return
}
func.func @f(%x: !host.tensor<[V] x f32, [1]>) attributes {host.program} {
  host.check <"V >= 1">, "too short"
  host.launch @k grid [#sym.expr<1000>](%x) meta {} : !host.tensor<[V] x f32, [1]>
  return
}

// -----

// Nothing moved up by its width stays 0: of an 8-bit number there is no shift by 8.
func.func @k(%x: !tile.ptr<f32>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i8
  %c8 = arith.constant 8 : i8
  %moved = arith.shli %c0, %c8 : i8
  %wide = arith.extsi %moved : i8 to i32
  %xp = tile.addptr %x, %wide : !tile.ptr<f32>, i32
  // expected-remark @below {{UNKNOWN in bounds: 'v0 >= 0' is not known; v0 is the result of 'arith.shli'}}
  %v = tile.load %xp : !tile.ptr<f32> -> f32
  return
}
func.func @f(%x: !host.tensor<[V] x f32, [1]>) attributes {host.program} {
  host.check <"V >= 1">, "too short"
  host.launch @k grid [#sym.expr<1>](%x) meta {} : !host.tensor<[V] x f32, [1]>
  return
}

// -----

// Two elements before the start of a row of one: moved by its length once, that is still outside.
func.func @k(%x: !tile.ptr<f32>, %n: i32) attributes {tile.kernel} {
  %pid = tile.program_id 0
  %zero = arith.constant 0 : i32
  %two = arith.constant 2 : i32
  %left = arith.subi %pid, %two : i32
  %isBelow = arith.cmpi slt, %left, %zero : i32
  %fromEnd = arith.addi %left, %n : i32
  %before = arith.select %isBelow, %fromEnd, %left : i32
  %xp = tile.addptr %x, %before : !tile.ptr<f32>, i32
  // expected-remark @below {{UNKNOWN in bounds: machine arithmetic may wrap or divide oddly: 'pid0 + N >= 2' is not known}}
  %v = tile.load %xp : !tile.ptr<f32> -> f32
  return
}
func.func @f(%x: !host.tensor<[N] x f32, [1]>) attributes {host.program} {
  host.check <"N <= 1000000">, "too long"
  %n = host.size <"N">
  host.launch @k grid [#sym.expr<"N">](%x, %n) meta {} : !host.tensor<[N] x f32, [1]>, i64
  return
}
