// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is asked of a kernel as a whole.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringRef.h"

namespace nereid::emit {

/// Whether a kernel asserts something.
bool holdsAssertions(mlir::func::FuncOp kernel);

/// What a launch tells of the precision of products, where the kernel has such as it may choose.
inline constexpr llvm::StringLiteral precisionName = "PRECISION";
bool takesPrecision(mlir::func::FuncOp kernel);

/// What a launch says of the numbers that `tile.aligned` marks: a power of two that divides all.
inline constexpr llvm::StringLiteral alignmentName = "ALIGN";

/// Whether an argument begins a run of pointers, or of numbers, behind the other kind: lists of
/// parameters and of arguments begin a line there.
bool opensGroup(mlir::func::FuncOp kernel, unsigned place);

} // namespace nereid::emit
