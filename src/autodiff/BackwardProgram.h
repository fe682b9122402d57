// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes the two programs of a joint program: the backward program with what it computes again, and
// the forward program with what it saves.
#pragma once

#include "autodiff/Saving.h"

namespace nereid::autodiff {

/// A new function that stands nowhere yet; null after diagnostics. What is saved for its sizes only
/// is appended to `saved`.
mlir::OwningOpRef<mlir::func::FuncOp> writeBackward(Joint &joint, std::vector<Saved> &saved,
                                                    llvm::StringRef name);

/// Takes away what only says how gradients are written: nothing is differentiated any more.
void dropGradientMarks(mlir::Operation *program);

/// Gives the program the results and attributes of saving, and drops what only gradients need.
void writeForward(Joint &joint, llvm::ArrayRef<Saved> saved, llvm::StringRef backwardName);

} // namespace nereid::autodiff
