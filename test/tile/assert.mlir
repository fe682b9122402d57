// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: nereid-opt %s -split-input-file -verify-diagnostics | nereid-opt -split-input-file | FileCheck %s

// CHECK-LABEL: @f
func.func @f(%c: tensor<4xi1>, %m: tensor<4xi1>) {
  // CHECK: tile.assert %{{.*}}, "positive" : tensor<4xi1>
  tile.assert %c, "positive" : tensor<4xi1>
  // CHECK: tile.assert %{{.*}}, "positive" mask %{{.*}} : tensor<4xi1> : tensor<4xi1>
  tile.assert %c, "positive" mask %m : tensor<4xi1> : tensor<4xi1>
  return
}

// -----

func.func @mask(%c: tensor<4xi1>, %m: i1) {
  // expected-error @+1 {{c1: the mask must be 'tensor<4xi1>', found 'i1'}}
  tile.assert %c, "positive" mask %m : i1 : tensor<4xi1>
  return
}
