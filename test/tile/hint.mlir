// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: nereid-opt %s -split-input-file -verify-diagnostics | nereid-opt -split-input-file | FileCheck %s

// CHECK-LABEL: @f
func.func @f(%x: tensor<64xi32>, %s: i32) {
  // CHECK: tile.hint "multiple_of" [16] %{{.*}} : tensor<64xi32>
  %0 = tile.hint "multiple_of" [16] %x : tensor<64xi32>
  // CHECK: tile.hint "max_contiguous" [4] %{{.*}} : i32
  %1 = tile.hint "max_contiguous" [4] %s : i32
  return
}

// -----

func.func @bad(%x: i32) {
  // expected-error @below {{c1: unknown kind 'aligned', expected multiple_of, max_contiguous or max_constancy}}
  %0 = tile.hint "aligned" [16] %x : i32
  return
}

// -----

func.func @bad(%x: tensor<4x4xi32>) {
  // expected-error @below {{c2: expected 2 numbers, one a dimension, found 1}}
  %0 = tile.hint "multiple_of" [16] %x : tensor<4x4xi32>
  return
}
