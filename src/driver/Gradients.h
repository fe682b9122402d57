// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The programs of a file with gradients: for each program one that only computes its results, where
// the forward program returns more besides, and the backward program. One entry point:
// `addGradients`.
//
// Beside the marks of autodiff/Autodiff.h a program gets
//   graph.saving = @f_saving                    the program that also returns what is saved
//   graph.no_gradient                           on a tensor argument: no gradient is computed for
//   it graph.constant                              on a result: it has no gradient// and the
//   backward program graph.gradients = [{argument = 0, result = 0}, {argument = 2, operand = 0}]
//                                               where the gradient of an argument of the program
//                                               is found: among the results or the arguments
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace nereid::driver {

/// Fails after diagnostics.
mlir::LogicalResult addGradients(mlir::ModuleOp module);

} // namespace nereid::driver
