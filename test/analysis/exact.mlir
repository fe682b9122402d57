// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: nereid-opt %s --prove-accesses -split-input-file -verify-diagnostics -o /dev/null

// An even number that is at most 2 * (N // 2) + 1 is at most 2 * (N // 2): only whole numbers say so.
func.func @k(%x: !tile.ptr<f32>, %n: i32) attributes {tile.kernel} {
  %c2 = arith.constant 2 : i32
  %pid = tile.program_id 0
  %even = arith.muli %pid, %c2 : i32
  %inside = arith.cmpi slt, %even, %n : i32
  %one = arith.constant 1.0 : f32
  %xp = tile.addptr %x, %even : !tile.ptr<f32>, i32
  // expected-remark @below {{PROVED in bounds}}
  // expected-remark @below {{PROVED apart}}
  tile.store %xp, %one mask %inside : i1 : !tile.ptr<f32>, f32
  return
}
func.func @f(%x: !host.tensor<["2*((N + 1)//2) - 1"] x f32, [1]>) attributes {host.program} {
  host.check <"N <= 1000000">, "too long"
  %n = host.size <"N">
  host.launch @k grid [#sym.expr<"N">](%x, %n) meta {} : !host.tensor<["2*((N + 1)//2) - 1"] x f32, [1]>, i64
  return
}

// -----

// The same one element further: the exact answer is a launch.
func.func @k(%x: !tile.ptr<f32>, %n: i32) attributes {tile.kernel} {
  %c2 = arith.constant 2 : i32
  %c1 = arith.constant 1 : i32
  %pid = tile.program_id 0
  %even = arith.muli %pid, %c2 : i32
  %odd = arith.addi %even, %c1 : i32
  %inside = arith.cmpi slt, %even, %n : i32
  %one = arith.constant 1.0 : f32
  %xp = tile.addptr %x, %odd : !tile.ptr<f32>, i32
  // expected-remark @below {{COUNTEREXAMPLE in bounds}}
  // expected-remark @below {{PROVED apart}}
  tile.store %xp, %one mask %inside : i1 : !tile.ptr<f32>, f32
  return
}
func.func @f(%x: !host.tensor<[N] x f32, [1]>) attributes {host.program} {
  host.check <"N <= 1000000">, "too long"
  %n = host.size <"N">
  host.launch @k grid [#sym.expr<"N">](%x, %n) meta {} : !host.tensor<[N] x f32, [1]>, i64
  return
}

// -----

// Far away: no small launch shows the fault, an exact sample does.
func.func @k(%x: !tile.ptr<f32>, %n: i32) attributes {tile.kernel} {
  %pid = tile.program_id 0
  %far = arith.constant 777 : i32
  %at = arith.cmpi eq, %pid, %far : i32
  %one = arith.constant 1.0 : f32
  %p = tile.addptr %x, %pid : !tile.ptr<f32>, i32
  // expected-remark @below {{COUNTEREXAMPLE in bounds: element 777 lies outside the tensor for N =}}
  // expected-remark @below {{PROVED apart}}
  tile.store %p, %one mask %at : i1 : !tile.ptr<f32>, f32
  return
}
func.func @f(%x: !host.tensor<[N] x f32, [1]>) attributes {host.program} {
  host.check <"N <= 1000000">, "too long"
  %n = host.size <"N">
  host.launch @k grid [#sym.expr<"N + 3">](%x, %n) meta {} : !host.tensor<[N] x f32, [1]>, i64
  return
}

// -----

// True, but not affine: the term in the way is named.
func.func @k(%x: !tile.ptr<f32>, %n: i32) attributes {tile.kernel} {
  %pid = tile.program_id 0
  %wide = arith.extsi %pid : i32 to i64
  %square = arith.muli %wide, %wide : i64
  %cube = arith.muli %square, %wide : i64
  %at = arith.subi %cube, %square : i64
  %one = arith.constant 1.0 : f32
  %p = tile.addptr %x, %at : !tile.ptr<f32>, i64
  // expected-remark @below {{UNKNOWN in bounds: 'pid0 * pid0 <= pid0 * pid0 * pid0' is not known: 'pid0 * pid0 * pid0' is not affine}}
  %v = tile.load %p : !tile.ptr<f32> -> f32
  return
}
func.func @f(%x: !host.tensor<["N*N*N"] x f32, [1]>) attributes {host.program} {
  host.check <"N <= 1000">, "too long"
  %n = host.size <"N">
  host.launch @k grid [#sym.expr<"N">](%x, %n) meta {} : !host.tensor<["N*N*N"] x f32, [1]>, i64
  return
}
