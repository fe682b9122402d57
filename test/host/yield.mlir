// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: nereid-opt %s -split-input-file -verify-diagnostics | nereid-opt -split-input-file | FileCheck %s

// CHECK-LABEL: @f
func.func @f(%c: i1) {
  // CHECK: host.if
  host.if %c {
  // CHECK: host.yield
    host.yield
  } else {
    host.yield
  }
  return
}

// -----

func.func @bad(%c: i1) {
  // expected-error @below {{expects parent op to be one of 'host.if, host.for'}}
  host.yield %c : i1
  return
}
