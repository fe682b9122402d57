// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: nereid-opt %s -split-input-file -verify-diagnostics | nereid-opt -split-input-file | FileCheck %s

// CHECK-LABEL: @forward
func.func @forward(%w: !host.tensor<[N] x f32, [1]>) attributes {host.program} { return }
// CHECK: host.module @Net forward @forward tree ["blocks.0.weight"] constructor "class Net(nn.Module):"
host.module @Net forward @forward tree ["blocks.0.weight"] constructor "class Net(nn.Module):"
