// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: nereid-opt %s -split-input-file -verify-diagnostics | nereid-opt -split-input-file | FileCheck %s

// CHECK-LABEL: @f
func.func @f() {
  // CHECK: tile.program_id 0
  %0 = tile.program_id 0
  // CHECK: tile.program_id 2
  %1 = tile.program_id 2
  return
}

// -----

func.func @bad() {
  // expected-error @below {{c1: axis must be 0, 1 or 2, found 3}}
  %0 = tile.program_id 3
  return
}
