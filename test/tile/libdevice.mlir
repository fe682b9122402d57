// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: nereid-opt %s -split-input-file -verify-diagnostics | nereid-opt -split-input-file | FileCheck %s

// CHECK-LABEL: @f
func.func @f(%x: tensor<8xf32>, %d: f64, %i: i32) {
  // CHECK: tile.libdevice "tanh"(%{{.*}}) : (tensor<8xf32>) -> tensor<8xf32>
  %0 = tile.libdevice "tanh"(%x) : (tensor<8xf32>) -> tensor<8xf32>
  // CHECK: tile.libdevice "ldexp"(%{{.*}}, %{{.*}}) : (f64, i32) -> f64
  %1 = tile.libdevice "ldexp"(%d, %i) : (f64, i32) -> f64
  return
}

// -----

func.func @bad(%x: f32) {
  // expected-error @below {{c1: unknown function 'gelu'}}
  %0 = tile.libdevice "gelu"(%x) : (f32) -> f32
  return
}

// -----

func.func @bad(%x: f32) {
  // expected-error @below {{c2: 'pow' takes 2 operands, found 1}}
  %0 = tile.libdevice "pow"(%x) : (f32) -> f32
  return
}

// -----

func.func @bad(%x: f16) {
  // expected-error @below {{c3: types do not fit 'tanh'}}
  %0 = tile.libdevice "tanh"(%x) : (f16) -> f16
  return
}

// -----

func.func @bad(%x: f32, %y: f64) {
  // expected-error @below {{c3: types do not fit 'pow'}}
  %0 = tile.libdevice "pow"(%x, %y) : (f32, f64) -> f32
  return
}
