// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: nereid-opt %s -split-input-file -verify-diagnostics | nereid-opt -split-input-file | FileCheck %s

// CHECK-LABEL: @f
func.func @f() {
  // CHECK: tile.range 0 : tensor<128xi32, #tile.dims<["BLOCK"]>>
  %0 = tile.range 0 : tensor<128xi32, #tile.dims<["BLOCK"]>>
  // CHECK: tile.range -4 : tensor<8xi32>
  %1 = tile.range -4 : tensor<8xi32>
  return
}

// -----

func.func @bad() {
  // expected-error @below {{c1: expected a rank-1 tile of i32}}
  %0 = tile.range 0 : tensor<8xi64>
  return
}

// -----

func.func @bad() {
  // expected-error @below {{c1: expected a rank-1 tile of i32}}
  %0 = tile.range 0 : tensor<8x8xi32>
  return
}

// -----

func.func @bad() {
  // expected-error @below {{c2: extent must be a power of two, found 6}}
  %0 = tile.range 0 : tensor<6xi32>
  return
}
