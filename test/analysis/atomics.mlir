// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: nereid-opt %s --prove-accesses -split-input-file -verify-diagnostics -o /dev/null

// Atomics may meet; they have to stay inside.
func.func @k(%x: !tile.ptr<f32>, %n: i32) attributes {tile.kernel} {
  %one = arith.constant 1.0 : f32
  // expected-remark @below {{PROVED in bounds}}
  %old = tile.atomic_rmw fadd %x, %one : !tile.ptr<f32>, f32 -> f32
  return
}
func.func @f(%x: !host.tensor<[N] x f32, [1]>) attributes {host.program} {
  host.check <"N <= 1000000">, "too long"
  %n = host.size <"N">
  host.launch @k grid [#sym.expr<"N">](%x, %n) meta {} : !host.tensor<[N] x f32, [1]>, i64
  return
}
