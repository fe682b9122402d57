// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A kernel cut down to what the addresses of some of its accesses hang on, so that a run of it
// shows where they lead, and computes nothing else. Entry point: cutToAddresses.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace nereid::analysis {

/// Takes out all that neither the addresses and masks of these loads and stores hang on, nor
/// whether and how often they are executed. What is stored becomes 0. Leaves the kernel as it is
/// where addresses hang on memory, or programs on one another by atomics.
void cutToAddresses(mlir::func::FuncOp kernel, llvm::ArrayRef<mlir::Operation *> accesses);

} // namespace nereid::analysis
