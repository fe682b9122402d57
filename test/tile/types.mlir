// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: nereid-opt %s -split-input-file -verify-diagnostics | nereid-opt -split-input-file | FileCheck %s

// CHECK-LABEL: @kernel
// CHECK-SAME: !tile.ptr<ui8>
// CHECK-SAME: !tile.ptr<!tile.ptr<f32>>
// CHECK-SAME: tile.configs = [#tile.config<{BLOCK = 64 : i64}, 4, 3>]
func.func @kernel(%x: !tile.ptr<ui8> {tile.name = "x_ptr"}, %y: !tile.ptr<!tile.ptr<f32>>)
    attributes {tile.kernel, tile.meta = ["BLOCK"], tile.configs = [#tile.config<{BLOCK = 64 : i64}, 4, 3>]} {
  return
}

// -----

// expected-error @below {{a pointer to 'i7' is not supported}}
func.func @bad(%x: !tile.ptr<i7>) { return }

// -----

// expected-error @below {{#tile.dims names 1 axes of a tile of rank 2}}
func.func @bad(%x: tensor<4x4xf32, #tile.dims<["A"]>>) { return }

// -----

// expected-error @below {{is a kernel: it must not have results}}
func.func @bad(%x: i32) -> i32 attributes {tile.kernel} { return %x : i32 }

// -----

// expected-error @below {{'tile.meta' must be an array of strings}}
func.func @bad() attributes {tile.kernel, tile.meta = [1]} { return }

// -----

// expected-error @below {{'tile.configs' must be an array of #tile.config}}
func.func @bad() attributes {tile.kernel, tile.configs = ["x"]} { return }

// -----

// expected-error @below {{'tile.name' must be a string}}
func.func @bad(%x: i32 {tile.name = 1}) attributes {tile.kernel} { return }
