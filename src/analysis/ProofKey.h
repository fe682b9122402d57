// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the proofs about a kernel's accesses depend on, as one string: how addresses, masks and what
// leads to an access are computed, and what the launch gives. Kernels that differ only in names and
// in what they compute with the data have equal keys, and what is proved of one holds for all.
#pragma once

#include "analysis/LaunchContract.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace nereid::analysis {

/// The key is made of pointers to what the kernel's MLIRContext keeps: it is of use while that
/// lives.
std::string proofKeyOf(mlir::func::FuncOp kernel, const LaunchContract &contract);

} // namespace nereid::analysis
