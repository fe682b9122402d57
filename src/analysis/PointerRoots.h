// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which arguments of its kernel a pointer may come from, where its address is not known.
#pragma once

#include "mlir/IR/Value.h"

namespace nereid::analysis {

/// The numbers of the arguments, in their order: those that it is moved from, on every path, or all
/// that are pointers, where it is loaded or made of a number.
llvm::SmallVector<unsigned, 1> findPointerRoots(mlir::Value pointer);

} // namespace nereid::analysis
