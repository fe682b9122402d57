// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sizes and strides by whose multiples lanes begin that lie side by side in memory. Triton moves
// several elements at once where it knows that each such group begins at a multiple of their number
// and lies within or without a mask as a whole; of an argument it knows whether it is a multiple of
// 16, and nothing of 1000 or 196.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace nereid::tile {

/// On an argument: the launch says a power of two that divides it and all others with this mark.
inline constexpr llvm::StringLiteral alignedAttrName = "tile.aligned";

/// Marks the arguments on whose divisors it hangs how many elements accesses move at once.
void markAlignedArguments(mlir::func::FuncOp func);

} // namespace nereid::tile
