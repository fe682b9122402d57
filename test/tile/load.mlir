// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: nereid-opt %s -split-input-file -verify-diagnostics | nereid-opt -split-input-file | FileCheck %s

// CHECK-LABEL: @f
func.func @f(%p: tensor<64x!tile.ptr<f32>>, %m: tensor<64xi1>, %z: tensor<64xf32>, %u: !tile.ptr<ui8>) {
  // CHECK: tile.load %{{.*}} mask %{{.*}} : tensor<64xi1> other %{{.*}} : tensor<64xf32> : tensor<64x!tile.ptr<f32>> -> tensor<64xf32>
  %0 = tile.load %p mask %m : tensor<64xi1> other %z : tensor<64xf32> : tensor<64x!tile.ptr<f32>> -> tensor<64xf32>
  // CHECK: tile.load %{{.*}} {cacheModifier = ".cg", evictionPolicy = "evict_last", isVolatile} : !tile.ptr<ui8> -> i8
  %1 = tile.load %u {cacheModifier = ".cg", evictionPolicy = "evict_last", isVolatile} : !tile.ptr<ui8> -> i8
  return
}

// -----

func.func @bad(%u: !tile.ptr<ui8>) {
  // expected-error @below {{c1: the result must be 'i8', found 'i32'}}
  %0 = tile.load %u : !tile.ptr<ui8> -> i32
  return
}

// -----

func.func @bad(%p: tensor<64x!tile.ptr<f32>>, %m: i1) {
  // expected-error @below {{c2: mask 'i1' must have the shape}}
  %0 = tile.load %p mask %m : i1 : tensor<64x!tile.ptr<f32>> -> tensor<64xf32>
  return
}

// -----

func.func @bad(%p: tensor<64x!tile.ptr<f32>>, %z: tensor<64xf32>) {
  // expected-error @below {{c3: 'other' needs a mask}}
  %0 = tile.load %p other %z : tensor<64xf32> : tensor<64x!tile.ptr<f32>> -> tensor<64xf32>
  return
}

// -----

func.func @bad(%p: tensor<64x!tile.ptr<f32>>, %m: tensor<64xi1>, %z: f32) {
  // expected-error @below {{c3: 'other' must be}}
  %0 = tile.load %p mask %m : tensor<64xi1> other %z : f32 : tensor<64x!tile.ptr<f32>> -> tensor<64xf32>
  return
}
