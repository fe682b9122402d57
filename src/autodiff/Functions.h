// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Gradients of functions of the graph: each is differentiated once, however often it is applied.
//
// Of a function `f` that is applied by a program with gradients there are up to three: `f` itself;
// `f_saving`, where something is saved besides its results, with `graph.plain = @f`; and
// `f_backward`.
#pragma once

#include "autodiff/Rules.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace nereid::autodiff {

/// Makes all functions that a program applies the ones that save what their gradients need.
mlir::LogicalResult applySavingFunctions(mlir::func::FuncOp program);

/// Makes them the plain ones again where nothing needs what is saved.
void applyPlainFunctions(mlir::func::FuncOp program);

/// Adds the gradients of the operands of a function that saves; `gradients` are those of its
/// results, null where they are zero.
void addApplyGradient(graph::ApplyOp apply, mlir::func::FuncOp function, ArrayRef<Value> gradients,
                      Reverse &reverse);

} // namespace nereid::autodiff
