// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: nereid-opt %s -split-input-file -verify-diagnostics | nereid-opt -split-input-file | FileCheck %s

// CHECK-LABEL: @f
func.func @f(%x: !host.tensor<[N] x f32, [1]>) {
  // CHECK: host.while "run" from 1024 times 2 while <"run < N"> {
  host.while "run" from 1024 times 2 while <"run < N"> {
    // CHECK: host.size <run>
    %0 = host.size <run>
  }
  return
}

// -----

func.func @bad(%x: !host.tensor<[N] x f32, [1]>) {
  // expected-error @below {{c1: from 1024 times 1 is no growing number}}
  host.while "run" from 1024 times 1 while <"run < N"> {
  }
  return
}

// -----

func.func @bad(%x: !host.tensor<[N] x f32, [1]>) {
  // expected-error @below {{c2: the condition does not depend on 'run'}}
  host.while "run" from 1024 times 2 while <"N >= 1"> {
  }
  return
}
