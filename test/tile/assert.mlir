// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: nereid-opt %s -split-input-file -verify-diagnostics | nereid-opt -split-input-file | FileCheck %s

// CHECK-LABEL: @f
func.func @f(%c: tensor<4xi1>) {
  // CHECK: tile.assert %{{.*}}, "positive" : tensor<4xi1>
  tile.assert %c, "positive" : tensor<4xi1>
  return
}
