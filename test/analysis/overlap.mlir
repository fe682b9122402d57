// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: nereid-opt %s --prove-accesses -split-input-file -verify-diagnostics -o /dev/null

// A remainder brings programs to one element.
func.func @k(%x: !tile.ptr<f32>, %n: i32) attributes {tile.kernel} {
  %c4 = arith.constant 4 : i32
  %pid = tile.program_id 0
  %start = arith.muli %pid, %c4 : i32
  %starts = tile.splat %start : i32 -> tensor<4xi32>
  %range = tile.range 0 : tensor<4xi32>
  %offs = arith.addi %starts, %range : tensor<4xi32>
  %ns = tile.splat %n : i32 -> tensor<4xi32>
  %mask = arith.cmpi slt, %offs, %ns : tensor<4xi32>
  %c7 = arith.constant dense<7> : tensor<4xi32>
  %low = arith.remsi %offs, %c7 : tensor<4xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<4x!tile.ptr<f32>>
  %xp = tile.addptr %xs, %low : tensor<4x!tile.ptr<f32>>, tensor<4xi32>
  %one = arith.constant dense<1.0> : tensor<4xf32>
  // expected-remark @below {{in bounds}}
  // expected-remark-re @below {{COUNTEREXAMPLE apart: two programs store to element {{[0-9]+}} for N =}}
  tile.store %xp, %one mask %mask : tensor<4xi1> : tensor<4x!tile.ptr<f32>>, tensor<4xf32>
  return
}
func.func @f(%x: !host.tensor<[N + 7] x f32, [1]>) attributes {host.program} {
  host.check <"N <= 1000000">, "too long"
  %n = host.size <"N">
  host.launch @k grid [#sym.expr<"cdiv(N, 4)">](%x, %n) meta {} : !host.tensor<[N + 7] x f32, [1]>, i64
  return
}

// -----

// Quotients of neighbours meet within a program only.
func.func @k(%x: !tile.ptr<f32>, %n: i32) attributes {tile.kernel} {
  %c4 = arith.constant 4 : i32
  %pid = tile.program_id 0
  %start = arith.muli %pid, %c4 : i32
  %starts = tile.splat %start : i32 -> tensor<4xi32>
  %range = tile.range 0 : tensor<4xi32>
  %offs = arith.addi %starts, %range : tensor<4xi32>
  %ns = tile.splat %n : i32 -> tensor<4xi32>
  %mask = arith.cmpi slt, %offs, %ns : tensor<4xi32>
  %c2 = arith.constant dense<2> : tensor<4xi32>
  %half = arith.divsi %offs, %c2 : tensor<4xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<4x!tile.ptr<f32>>
  %xp = tile.addptr %xs, %half : tensor<4x!tile.ptr<f32>>, tensor<4xi32>
  %one = arith.constant dense<1.0> : tensor<4xf32>
  // expected-remark @below {{PROVED in bounds}}
  // expected-remark @below {{PROVED apart}}
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

// Every second element.
func.func @k(%x: !tile.ptr<f32>, %n: i32) attributes {tile.kernel} {
  %c4 = arith.constant 4 : i32
  %pid = tile.program_id 0
  %start = arith.muli %pid, %c4 : i32
  %starts = tile.splat %start : i32 -> tensor<4xi32>
  %range = tile.range 0 : tensor<4xi32>
  %offs = arith.addi %starts, %range : tensor<4xi32>
  %ns = tile.splat %n : i32 -> tensor<4xi32>
  %mask = arith.cmpi slt, %offs, %ns : tensor<4xi32>
  %c2 = arith.constant dense<2> : tensor<4xi32>
  %c1 = arith.constant dense<1> : tensor<4xi32>
  %twice = arith.muli %offs, %c2 : tensor<4xi32>
  %odd = arith.addi %twice, %c1 : tensor<4xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<4x!tile.ptr<f32>>
  %xp = tile.addptr %xs, %odd : tensor<4x!tile.ptr<f32>>, tensor<4xi32>
  %one = arith.constant dense<1.0> : tensor<4xf32>
  // expected-remark @below {{PROVED in bounds}}
  // expected-remark @below {{PROVED apart}}
  tile.store %xp, %one mask %mask : tensor<4xi1> : tensor<4x!tile.ptr<f32>>, tensor<4xf32>
  return
}
func.func @f(%x: !host.tensor<[2 * N] x f32, [1]>) attributes {host.program} {
  host.check <"N <= 1000000">, "too long"
  %n = host.size <"N">
  host.launch @k grid [#sym.expr<"cdiv(N, 4)">](%x, %n) meta {} : !host.tensor<[2 * N] x f32, [1]>, i64
  return
}

// -----

// Two arguments lead to one memory: each store is apart by itself, together they are not known to be.
func.func @k(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>) attributes {tile.kernel} {
  %pid = tile.program_id 0
  %one = arith.constant 1.0 : f32
  %xp = tile.addptr %x, %pid : !tile.ptr<f32>, i32
  %yp = tile.addptr %y, %pid : !tile.ptr<f32>, i32
  // expected-remark @below {{PROVED in bounds}}
  // expected-remark @below {{UNKNOWN apart: another argument leads to the same memory and is stored to}}
  tile.store %xp, %one : !tile.ptr<f32>, f32
  // expected-remark @below {{PROVED in bounds}}
  // expected-remark @below {{UNKNOWN apart: another argument leads to the same memory and is stored to}}
  tile.store %yp, %one : !tile.ptr<f32>, f32
  return
}
func.func @f(%x: !host.tensor<["N + 1"] x f32, [1]>) attributes {host.program} {
  %tail = host.view %x offset <1> : !host.tensor<["N + 1"] x f32, [1]> -> !host.tensor<[N] x f32, [1]>
  host.launch @k grid [#sym.expr<N>](%x, %tail) meta {} : !host.tensor<["N + 1"] x f32, [1]>, !host.tensor<[N] x f32, [1]>
  return
}
