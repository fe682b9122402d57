// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: nereid-opt %s -split-input-file -verify-diagnostics | nereid-opt -split-input-file | FileCheck %s

func.func @same(%x: !host.tensor<[N] x f32, [1]>) -> !host.tensor<[N] x f32, [1]> attributes {host.program, host.function} {
  return %x : !host.tensor<[N] x f32, [1]>
}

// CHECK-LABEL: @f
func.func @f(%x: !host.tensor<[N] x f32, [1]>) {
  // CHECK: host.apply @same(%{{.*}}) : (!host.tensor<[N] x f32, [1]>) -> !host.tensor<[N] x f32, [1]>
  %r = host.apply @same(%x) : (!host.tensor<[N] x f32, [1]>) -> !host.tensor<[N] x f32, [1]>
  return
}

// -----

func.func @program(%x: !host.tensor<[N] x f32, [1]>) -> !host.tensor<[N] x f32, [1]> attributes {host.program} {
  return %x : !host.tensor<[N] x f32, [1]>
}

func.func @callee(%x: !host.tensor<[N] x f32, [1]>) {
  // expected-error @below {{c1: 'program' is no function of the program}}
  %r = host.apply @program(%x) : (!host.tensor<[N] x f32, [1]>) -> !host.tensor<[N] x f32, [1]>
  return
}

// -----

func.func @same(%x: !host.tensor<[N] x f32, [1]>) -> !host.tensor<[N] x f32, [1]> attributes {host.program, host.function} {
  return %x : !host.tensor<[N] x f32, [1]>
}

func.func @arguments(%x: !host.tensor<[N] x f32, [s]>) {
  // expected-error @below {{c2: the arguments have other types than those of 'same'}}
  %r = host.apply @same(%x) : (!host.tensor<[N] x f32, [s]>) -> !host.tensor<[N] x f32, [1]>
  return
}

// -----

func.func @same(%x: !host.tensor<[N] x f32, [1]>) -> !host.tensor<[N] x f32, [1]> attributes {host.program, host.function} {
  return %x : !host.tensor<[N] x f32, [1]>
}

func.func @results(%x: !host.tensor<[N] x f32, [1]>) {
  // expected-error @below {{c3: the results have other types than those of 'same'}}
  %r = host.apply @same(%x) : (!host.tensor<[N] x f32, [1]>) -> !host.tensor<[M] x f32, [1]>
  return
}

// -----

func.func @block(%x: !host.tensor<[M, N] x f32, [N, 1]>, %n: i64) -> !host.tensor<[M] x f32, [1]>
    attributes {host.program, host.function} {
  %r = host.empty -> !host.tensor<[M] x f32, [1]>
  return %r : !host.tensor<[M] x f32, [1]>
}

// CHECK-LABEL: @two_arguments
func.func @two_arguments(%x: !host.tensor<[M, N] x f32, [N, 1]>, %n: i64) {
  // CHECK: host.apply @block(%{{.*}}, %{{.*}}) : (!host.tensor<[M, N] x f32, [N, 1]>, i64) -> !host.tensor<[M] x f32, [1]>
  %r = host.apply @block(%x, %n) : (!host.tensor<[M, N] x f32, [N, 1]>, i64) -> !host.tensor<[M] x f32, [1]>
  return
}
