// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: nereid-opt %s -split-input-file -verify-diagnostics | nereid-opt -split-input-file | FileCheck %s

// CHECK-LABEL: @large
func.func @large(%x: !host.tensor<[N] x f32, [1]>) attributes {host.program, host.given = #sym.pred<"N >= 8">} {
  return
}
func.func @small(%x: !host.tensor<[N] x f32, [1]>) attributes {host.program, host.given = #sym.pred<"N <= 7">} {
  return
}
// CHECK-LABEL: @f
func.func @f(%x: !host.tensor<[N] x f32, [1]>) attributes {host.program, host.symbols = [#host.symbol<"N", size, 0, 0>]} {
  // CHECK: host.dispatch [#sym.pred<"N >= 8">, #sym.pred<"N <= 7">] [@large, @small]
  host.dispatch [#sym.pred<"N >= 8">, #sym.pred<"N <= 7">] [@large, @small]
}

// -----

func.func @f(%x: !host.tensor<[N] x f32, [1]>) attributes {host.program} {
  // expected-error @below {{c1: 1 conditions for 0 programs}}
  host.dispatch [#sym.pred<"N >= 8">] []
}

// -----

func.func @f(%x: !host.tensor<[N] x f32, [1]>) {
  // expected-error @below {{c1: it ends no host program}}
  host.dispatch [#sym.pred<"N >= 8">] [@f]
}

// -----

func.func @g(%x: !host.tensor<[N] x f32, [1]>) { return }
func.func @f(%x: !host.tensor<[N] x f32, [1]>) attributes {host.program} {
  // expected-error @below {{c2: @g is no host program}}
  host.dispatch [#sym.pred<"N >= 8">] [@g]
}

// -----

func.func @g(%x: !host.tensor<[N] x f16, [1]>) attributes {host.program} { return }
func.func @f(%x: !host.tensor<[N] x f32, [1]>) attributes {host.program} {
  // expected-error @below {{c2: an argument of type}}
  host.dispatch [#sym.pred<"N >= 8">] [@g]
}
