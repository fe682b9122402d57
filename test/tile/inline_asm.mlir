// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: nereid-opt %s -split-input-file -verify-diagnostics | nereid-opt -split-input-file | FileCheck %s

// CHECK-LABEL: @f
func.func @f(%x: tensor<8xf32>, %i: i32) {
  // CHECK: tile.inline_asm "ex2.approx.f32 $0, $1;", "=r,r"(%{{.*}}) pure pack 1 : (tensor<8xf32>) -> tensor<8xf32>
  %0 = tile.inline_asm "ex2.approx.f32 $0, $1;", "=r,r"(%x) pure pack 1 : (tensor<8xf32>) -> tensor<8xf32>
  // CHECK: %{{.*}}:2 = tile.inline_asm "add.cc $0, $2, 1;", "=r,=r,r"(%{{.*}}) pack 4 : (i32) -> (i32, i32)
  %1:2 = tile.inline_asm "add.cc $0, $2, 1;", "=r,=r,r"(%i) pack 4 : (i32) -> (i32, i32)
  // CHECK: tile.inline_asm "mov.u32 $0, %{{.*}}smid;", "=r"() pack 1 : () -> i32
  %2 = tile.inline_asm "mov.u32 $0, %smid;", "=r"() pack 1 : () -> i32
  return
}

// -----

func.func @bad(%x: tensor<8xf32>, %i: i32) {
  // expected-error @below {{c1: 'i32' has not the shape of 'tensor<8xf32>'}}
  %0 = tile.inline_asm "", "=r,r,r"(%x, %i) pure pack 1 : (tensor<8xf32>, i32) -> tensor<8xf32>
  return
}

// -----

func.func @bad(%i: i32) {
  // expected-error @below {{c2: expected pack to be at least 1, found 0}}
  %0 = tile.inline_asm "", "=r,r"(%i) pure pack 0 : (i32) -> i32
  return
}

// -----

func.func @bad(%i: i32) {
  // expected-error @below {{c3: expected a result}}
  tile.inline_asm "", "r"(%i) pack 1 : (i32) -> ()
  return
}
