// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: nereid-opt %s -split-input-file -verify-diagnostics | nereid-opt -split-input-file | FileCheck %s

func.func @k(%p: !tile.ptr<f32>, %n: i32, %a: f32) attributes {tile.kernel, tile.meta = ["BLOCK", "W"], tile.configs = [#tile.config<{BLOCK = 64 : i64}, 4, 3>]} {
  return
}
// CHECK-LABEL: @f
func.func @f(%x: !host.tensor<[M, N] x f32, [N, 1]>, %n: i64, %a: f64) {
  // CHECK: host.launch @k grid [{{.*}}](%{{.*}}, %{{.*}}, %{{.*}}) meta {W = #sym.expr<N>} : !host.tensor<{{.*}}>, i64, f64
  host.launch @k grid [#sym.expr<"cdiv(M*N, BLOCK)">] (%x, %n, %a) meta {W = #sym.expr<N>} : !host.tensor<[M, N] x f32, [N, 1]>, i64, f64
  return
}

// -----

func.func @k() { return }
func.func @bad() {
  // expected-error @below {{c1: 'k' is not a kernel}}
  host.launch @k grid [#sym.expr<1>] () meta {}
  return
}

// -----

func.func @k(%p: !tile.ptr<f32>, %n: i32, %a: f32) attributes {tile.kernel, tile.meta = ["BLOCK", "W"], tile.configs = [#tile.config<{BLOCK = 64 : i64}, 4, 3>]} {
  return
}
func.func @bad(%x: !host.tensor<[M, N] x f32, [N, 1]>, %n: i64, %a: f64) {
  // expected-error @below {{c2: 'k' takes 3 arguments, found 2}}
  host.launch @k grid [#sym.expr<"cdiv(M*N, BLOCK)">] (%x, %n) meta {W = #sym.expr<N>} : !host.tensor<[M, N] x f32, [N, 1]>, i64
  return
}

// -----

func.func @k(%p: !tile.ptr<f32>, %n: i32, %a: f32) attributes {tile.kernel, tile.meta = ["BLOCK", "W"], tile.configs = [#tile.config<{BLOCK = 64 : i64}, 4, 3>]} {
  return
}
func.func @bad(%x: !host.tensor<[M, N] x f32, [N, 1]>, %n: i64, %a: f64) {
  // expected-error @below {{c2: argument 2 of type 'i64' does not fit the parameter's 'f32'}}
  host.launch @k grid [#sym.expr<"cdiv(M*N, BLOCK)">] (%x, %n, %n) meta {W = #sym.expr<N>} : !host.tensor<[M, N] x f32, [N, 1]>, i64, i64
  return
}

// -----

func.func @k(%p: !tile.ptr<f32>, %n: i32, %a: f32) attributes {tile.kernel, tile.meta = ["BLOCK", "W"], tile.configs = [#tile.config<{BLOCK = 64 : i64}, 4, 3>]} {
  return
}
func.func @bad(%x: !host.tensor<[M, N] x f32, [N, 1]>, %n: i64, %a: f64) {
  // expected-error @below {{c3: expected one to three grid expressions, found 0}}
  host.launch @k grid [] (%x, %n, %a) meta {W = #sym.expr<N>} : !host.tensor<[M, N] x f32, [N, 1]>, i64, f64
  return
}

// -----

func.func @k(%p: !tile.ptr<f32>, %n: i32, %a: f32) attributes {tile.kernel, tile.meta = ["BLOCK", "W"], tile.configs = [#tile.config<{BLOCK = 64 : i64}, 4, 3>]} {
  return
}
func.func @bad(%x: !host.tensor<[M, N] x f32, [N, 1]>, %n: i64, %a: f64) {
  // expected-error @below {{c4: meta-parameter 'W' is neither given here nor by every configuration}}
  host.launch @k grid [#sym.expr<"cdiv(M*N, BLOCK)">] (%x, %n, %a) meta {} : !host.tensor<[M, N] x f32, [N, 1]>, i64, f64
  return
}
