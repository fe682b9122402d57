// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: nereid-opt %s -split-input-file -verify-diagnostics | nereid-opt -split-input-file | FileCheck %s

// CHECK-LABEL: @f
func.func @f(%x: tensor<4x8xi64>) {
  // CHECK: tile.sort %{{.*}} : tensor<4x8xi64>
  %0 = tile.sort %x : tensor<4x8xi64>
  // CHECK: tile.sort descending %{{.*}} : tensor<4x8xi64>
  %1 = tile.sort descending %x : tensor<4x8xi64>
  // CHECK: tile.sort merges descending %{{.*}} : tensor<4x8xi64>
  %2 = tile.sort merges descending %x : tensor<4x8xi64>
  return
}

// -----

func.func @bad(%x: tensor<8xf32>) {
  // expected-error @below {{c1: the elements are i32 or i64, found 'f32'}}
  %0 = tile.sort %x : tensor<8xf32>
  return
}

// -----

func.func @odd(%x: tensor<4x6xi32>) {
  // expected-error @below {{c2: with merges lines have a power of two of elements, found 6}}
  %0 = tile.sort merges %x : tensor<4x6xi32>
  return
}
