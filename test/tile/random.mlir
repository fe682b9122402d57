// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: nereid-opt %s -split-input-file -verify-diagnostics | nereid-opt -split-input-file | FileCheck %s

// CHECK-LABEL: @f
func.func @f(%seed: i64, %x: tensor<8xi64>, %y: i32) {
  // CHECK: tile.random uniform %{{.*}}, %{{.*}} : tensor<8xi64> -> tensor<8xf32>
  %0 = tile.random uniform %seed, %x : tensor<8xi64> -> tensor<8xf32>
  // CHECK: tile.random bits %{{.*}}, %{{.*}} : i32 -> i32
  %1 = tile.random bits %seed, %y : i32 -> i32
  // CHECK: tile.random shared_uniform %{{.*}}, %{{.*}} : tensor<8xi64> -> tensor<8xf32>
  %2 = tile.random shared_uniform %seed, %x : tensor<8xi64> -> tensor<8xf32>
  // CHECK: tile.random shared_bits %{{.*}}, %{{.*}} : i32 -> i32
  %3 = tile.random shared_bits %seed, %y : i32 -> i32
  return
}

// -----

func.func @bad(%seed: i64, %x: tensor<8xi16>) {
  // expected-error @below {{c1: offsets are i32 or i64, found 'i16'}}
  %0 = tile.random normal %seed, %x : tensor<8xi16> -> tensor<8xf32>
  return
}

// -----

func.func @bad(%seed: i64, %x: tensor<8xi64>) {
  // expected-error @below {{c2: expected i32 of the shape of}}
  %0 = tile.random bits %seed, %x : tensor<8xi64> -> tensor<8xf32>
  return
}

// -----

func.func @bad(%seed: i64, %x: tensor<8xi64>) {
  // expected-error @below {{c2: expected f32 of the shape of}}
  %0 = tile.random uniform %seed, %x : tensor<8xi64> -> tensor<4xf32>
  return
}
