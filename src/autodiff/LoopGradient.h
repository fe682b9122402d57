// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The gradient of a loop: a loop over the same turns from the last to the first, whose body
// computes a turn again from the state with which it began, and then its gradients. The states are
// saved: each turn's beginning is stacked.
#pragma once

#include "autodiff/Rules.h"

namespace nereid::autodiff {

/// Gives every loop of a program, as its last results, the states with which its turns begin.
void stackStates(mlir::func::FuncOp program);

/// Adds the gradients of the operands of such a loop; `gradients` are those of its results, null
/// where they are zero. Fails after a diagnostic.
mlir::LogicalResult addLoopGradient(graph::LoopOp loop, ArrayRef<Value> gradients,
                                    Reverse &reverse);

} // namespace nereid::autodiff
