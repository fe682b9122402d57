// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: nereid-opt %s -split-input-file -verify-diagnostics | nereid-opt -split-input-file | FileCheck %s

// CHECK-LABEL: @f
func.func @f(%x: tensor<64xi32, #tile.dims<["B"]>>) {
  // CHECK: tile.expand_dims %{{.*}} 1 : tensor<64xi32, #tile.dims<["B"]>> -> tensor<64x1xi32, #tile.dims<["B", ""]>>
  %0 = tile.expand_dims %x 1 : tensor<64xi32, #tile.dims<["B"]>> -> tensor<64x1xi32, #tile.dims<["B", ""]>>
  return
}

// -----

func.func @bad(%x: tensor<64xi32>) {
  // expected-error @below {{c1: axis 2 is not within 0 to 1}}
  %0 = tile.expand_dims %x 2 : tensor<64xi32> -> tensor<64x1xi32>
  return
}

// -----

func.func @bad(%x: tensor<64xi32>) {
  // expected-error @below {{c2:}}
  %0 = tile.expand_dims %x 0 : tensor<64xi32> -> tensor<64x1xi32>
  return
}
