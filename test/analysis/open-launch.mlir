// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: nereid-opt %s --prove-accesses -split-input-file -verify-diagnostics -o /dev/null

// No launch names the kernel: the verdict is what a launch must give.
func.func @k(%x: !tile.ptr<f32> {tile.name = "x"}, %n: i32 {tile.name = "n"}) attributes {tile.kernel} {
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
  // expected-remark @below {{UNKNOWN in bounds: the launch is not known; holds where 'pid0 <= 536870911' and 'n <= numel(x)'}}
  // expected-remark @below {{UNKNOWN apart: the launch is not known; holds where 'pid0 <= 536870911'}}
  tile.store %xp, %one mask %mask : tensor<4xi1> : tensor<4x!tile.ptr<f32>>, tensor<4xf32>
  return
}
