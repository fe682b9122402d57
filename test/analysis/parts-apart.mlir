// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: nereid-opt %s --prove-accesses -split-input-file -verify-diagnostics -o /dev/null

// Two parts of one tensor by two arguments: the second begins where the first ends.
func.func @k(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>) attributes {tile.kernel} {
  %pid = tile.program_id 0
  %c4 = arith.constant 4 : i32
  %start = arith.muli %pid, %c4 : i32
  %starts = tile.splat %start : i32 -> tensor<4xi32>
  %range = tile.range 0 : tensor<4xi32>
  %at = arith.addi %starts, %range : tensor<4xi32>
  %one = arith.constant dense<1.0> : tensor<4xf32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<4x!tile.ptr<f32>>
  %xp = tile.addptr %xs, %at : tensor<4x!tile.ptr<f32>>, tensor<4xi32>
  // expected-remark @below {{PROVED in bounds}}
  // expected-remark @below {{PROVED apart}}
  tile.store %xp, %one : tensor<4x!tile.ptr<f32>>, tensor<4xf32>
  %ys = tile.splat %y : !tile.ptr<f32> -> tensor<4x!tile.ptr<f32>>
  %yp = tile.addptr %ys, %at : tensor<4x!tile.ptr<f32>>, tensor<4xi32>
  // expected-remark @below {{PROVED in bounds}}
  // expected-remark @below {{PROVED apart}}
  tile.store %yp, %one : tensor<4x!tile.ptr<f32>>, tensor<4xf32>
  return
}
func.func @f() attributes {host.program} {
  %t = host.empty -> !host.tensor<[16] x f32, [1]>
  %a = host.view %t offset <0> {starts = [#sym.expr<"0">]} : !host.tensor<[16] x f32, [1]> -> !host.tensor<[8] x f32, [1]>
  %b = host.view %t offset <8> {starts = [#sym.expr<"8">]} : !host.tensor<[16] x f32, [1]> -> !host.tensor<[8] x f32, [1]>
  host.launch @k grid [#sym.expr<"2">](%a, %b) meta {} : !host.tensor<[8] x f32, [1]>, !host.tensor<[8] x f32, [1]>
  return
}

// -----

// They overlap by an element.
func.func @k(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>) attributes {tile.kernel} {
  %pid = tile.program_id 0
  %c4 = arith.constant 4 : i32
  %start = arith.muli %pid, %c4 : i32
  %starts = tile.splat %start : i32 -> tensor<4xi32>
  %range = tile.range 0 : tensor<4xi32>
  %at = arith.addi %starts, %range : tensor<4xi32>
  %one = arith.constant dense<1.0> : tensor<4xf32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<4x!tile.ptr<f32>>
  %xp = tile.addptr %xs, %at : tensor<4x!tile.ptr<f32>>, tensor<4xi32>
  // expected-remark @below {{PROVED in bounds}}
  // expected-remark @below {{UNKNOWN apart: another argument leads to the same memory and is stored to}}
  tile.store %xp, %one : tensor<4x!tile.ptr<f32>>, tensor<4xf32>
  %ys = tile.splat %y : !tile.ptr<f32> -> tensor<4x!tile.ptr<f32>>
  %yp = tile.addptr %ys, %at : tensor<4x!tile.ptr<f32>>, tensor<4xi32>
  // expected-remark @below {{PROVED in bounds}}
  // expected-remark @below {{UNKNOWN apart: another argument leads to the same memory and is stored to}}
  tile.store %yp, %one : tensor<4x!tile.ptr<f32>>, tensor<4xf32>
  return
}
func.func @f() attributes {host.program} {
  %t = host.empty -> !host.tensor<[15] x f32, [1]>
  %a = host.view %t offset <0> {starts = [#sym.expr<"0">]} : !host.tensor<[15] x f32, [1]> -> !host.tensor<[8] x f32, [1]>
  %b = host.view %t offset <7> {starts = [#sym.expr<"7">]} : !host.tensor<[15] x f32, [1]> -> !host.tensor<[8] x f32, [1]>
  host.launch @k grid [#sym.expr<"2">](%a, %b) meta {} : !host.tensor<[8] x f32, [1]>, !host.tensor<[8] x f32, [1]>
  return
}

// -----

// Every second element and the ones between: one tensor, two stores that take turns.
func.func @k(%x: !tile.ptr<f32>) attributes {tile.kernel} {
  %pid = tile.program_id 0
  %c8 = arith.constant 8 : i32
  %start = arith.muli %pid, %c8 : i32
  %starts = tile.splat %start : i32 -> tensor<4xi32>
  %range = tile.range 0 : tensor<4xi32>
  %two = arith.constant dense<2> : tensor<4xi32>
  %steps = arith.muli %range, %two : tensor<4xi32>
  %at = arith.addi %starts, %steps : tensor<4xi32>
  %one = arith.constant dense<1.0> : tensor<4xf32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<4x!tile.ptr<f32>>
  %xp = tile.addptr %xs, %at : tensor<4x!tile.ptr<f32>>, tensor<4xi32>
  // expected-remark @below {{PROVED in bounds}}
  // expected-remark @below {{PROVED apart}}
  tile.store %xp, %one : tensor<4x!tile.ptr<f32>>, tensor<4xf32>
  %c3 = arith.constant dense<3> : tensor<4xi32>
  %other = arith.addi %at, %c3 : tensor<4xi32>
  %c15 = arith.constant dense<15> : tensor<4xi32>
  %last = arith.cmpi sle, %other, %c15 : tensor<4xi32>
  %yp = tile.addptr %xs, %other : tensor<4x!tile.ptr<f32>>, tensor<4xi32>
  // expected-remark @below {{PROVED in bounds}}
  // expected-remark @below {{PROVED apart}}
  tile.store %yp, %one mask %last : tensor<4xi1> : tensor<4x!tile.ptr<f32>>, tensor<4xf32>
  return
}
func.func @f() attributes {host.program} {
  %t = host.empty -> !host.tensor<[16] x f32, [1]>
  host.launch @k grid [#sym.expr<"2">](%t) meta {} : !host.tensor<[16] x f32, [1]>
  return
}
