// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: nereid-opt %s -split-input-file -verify-diagnostics | nereid-opt -split-input-file | FileCheck %s

// CHECK-LABEL: @f
func.func @f(%x: tensor<4xi32>) {
  // CHECK: tile.print "x" %{{.*}} : tensor<4xi32>
  tile.print "x" %x : tensor<4xi32>
  // CHECK: tile.print "here"
  tile.print "here"
  return
}
