// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rules that read launches as wrappers make them.
#pragma once

#include "audit/RuleSite.h"
#include "audit/Wrappers.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace nereid::audit {

/// TRC014: a tile that has as many elements as a caller's axis is long, which may be no power of
/// two.
void findOddTiles(llvm::ArrayRef<mlir::func::FuncOp> kernels, const KernelLaunches &launches,
                  RuleSite &site);

/// TRC012: more programs along the second or third axis of a grid than a GPU takes.
void findLargeGrids(const KernelLaunches &launches, RuleSite &site);

} // namespace nereid::audit
