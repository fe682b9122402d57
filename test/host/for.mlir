// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: nereid-opt %s -split-input-file -verify-diagnostics | nereid-opt -split-input-file | FileCheck %s

// CHECK-LABEL: @swap
func.func @swap(%a: !host.tensor<[N] x f32, [1]>, %b: !host.tensor<[N] x f32, [1]>) {
  // CHECK: host.for "t" below <T>(%{{.*}}, %{{.*}}) : (!host.tensor<[N] x f32, [1]>, !host.tensor<[N] x f32, [1]>) -> (!host.tensor<[N] x f32, [1]>, !host.tensor<[N] x f32, [1]>) {
  %r:2 = host.for "t" below <T>(%a, %b) : (!host.tensor<[N] x f32, [1]>, !host.tensor<[N] x f32, [1]>) -> (!host.tensor<[N] x f32, [1]>, !host.tensor<[N] x f32, [1]>) {
  ^bb0(%now: !host.tensor<[N] x f32, [1]>, %next: !host.tensor<[N] x f32, [1]>):
    // CHECK: host.size <t>
    %0 = host.size <t>
    // CHECK: host.yield
    host.yield %next, %now : !host.tensor<[N] x f32, [1]>, !host.tensor<[N] x f32, [1]>
  }
  return
}

// -----

func.func @bad(%a: !host.tensor<[N] x f32, [1]>) {
  // expected-error @below {{c1: the body takes and yields the types of the inits}}
  %r = host.for "t" below <T>(%a) : (!host.tensor<[N] x f32, [1]>) -> !host.tensor<[N] x f32, [1]> {
  ^bb0(%now: !host.tensor<[N] x f32, [1]>):
    host.yield
  }
  return
}

// -----

// CHECK-LABEL: @two_buffers
func.func @two_buffers(%a: !host.tensor<[M] x f32, [1]>, %b: !host.tensor<[M] x f32, [1]>) {
  // CHECK: host.for "t" below <T>(%{{.*}}, %{{.*}})
  %h, %free = host.for "t" below <T> (%a, %b) : (!host.tensor<[M] x f32, [1]>, !host.tensor<[M] x f32, [1]>) -> (!host.tensor<[M] x f32, [1]>, !host.tensor<[M] x f32, [1]>) {
  ^bb0(%now: !host.tensor<[M] x f32, [1]>, %next: !host.tensor<[M] x f32, [1]>):
    host.yield %next, %now : !host.tensor<[M] x f32, [1]>, !host.tensor<[M] x f32, [1]>
  }
  return
}
