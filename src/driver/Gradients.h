// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The programs of a file with gradients: for each program one that only computes its results, where
// the forward program returns more besides, and the backward program. One entry point:
// `addGradients`.
//
// Beside the marks of autodiff/Autodiff.h a program gets
//   graph.saving = @f_saving                    the program that also returns what is saved
//   graph.constant                              on a result: it has no gradient
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace nereid::driver {

/// Fails after diagnostics.
mlir::LogicalResult addGradients(mlir::ModuleOp module);

} // namespace nereid::driver
