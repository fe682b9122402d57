// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: nereid-opt %s -split-input-file -verify-diagnostics | nereid-opt -split-input-file | FileCheck %s

// CHECK-LABEL: @program
// CHECK-SAME: !host.tensor<[M, 4*N] x ui8, [x_s0, 1]> {host.name = "x"}
// CHECK-SAME: host.symbols = [#host.symbol<"M", size, 0, 0>, #host.symbol<"x_s0", stride, 0, 0>, #host.symbol<"K", value, 1, 0>]
func.func @program(%x: !host.tensor<[M, 4*N] x ui8, [x_s0, 1]> {host.name = "x"}, %k: i64)
    attributes {host.program, host.symbols = [#host.symbol<"M", size, 0, 0>, #host.symbol<"x_s0", stride, 0, 0>, #host.symbol<"K", value, 1, 0>]} {
  return
}

// -----

// CHECK-LABEL: @scalar
// CHECK-SAME: !host.tensor<[] x f32, []>
func.func @scalar(%x: !host.tensor<[] x f32, []>) { return }

// -----

// expected-error @below {{expected one stride a size, found 1 sizes and 2 strides}}
func.func @bad(%x: !host.tensor<[M] x f32, [M, 1]>) { return }

// -----

// expected-error @below {{expected an integer or a float as element}}
func.func @bad(%x: !host.tensor<[M] x !tile.ptr<f32>, [1]>) { return }

// -----

// expected-error @below {{symbol "M" names argument 1, which is not there}}
func.func @bad(%x: !host.tensor<[M] x f32, [1]>) attributes {host.program, host.symbols = [#host.symbol<"M", size, 1, 0>]} { return }

// -----

// expected-error @below {{symbol "M" names dimension 1, which is not there}}
func.func @bad(%x: !host.tensor<[M] x f32, [1]>) attributes {host.program, host.symbols = [#host.symbol<"M", size, 0, 1>]} { return }

// -----

// expected-error @below {{'host.name' must be a string}}
func.func @bad(%x: i64 {host.name = 1}) { return }
