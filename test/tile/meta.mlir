// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: nereid-opt %s -split-input-file -verify-diagnostics | nereid-opt -split-input-file | FileCheck %s

// CHECK-LABEL: @f
func.func @f() {
  // CHECK: tile.meta "BLOCK" = 1024 : i32
  %0 = tile.meta "BLOCK" = 1024 : i32
  // CHECK: tile.meta "EPS" = 2.500000e-01 : f32
  %1 = tile.meta "EPS" = 0.25 : f32
  return
}
