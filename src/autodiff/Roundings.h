// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Halves that PyTorch would round and kernels need not: that forward and backward program see each
// of them alike, rounded or not (docs/decisions/0010-roundings.md).
//
// The attributes are on elidable casts: `graph.rounds` on those whose result all readers see
// rounded, and `graph.half = 7` on those that both programs may compute; what the scheduler decides
// about them in the forward program holds in the backward program too.
#pragma once

#include "autodiff/Joint.h"

namespace nereid::autodiff {

/// Of a program before its gradients are added: within loops, halves are rounded.
void settleLoops(mlir::func::FuncOp program);

/// Marks the casts of a joint program, and of the program that it is a copy of.
void settleRoundings(Joint &joint);

} // namespace nereid::autodiff
