// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// TRC021: programs along an axis of the grid store different values to the same place.
//
//   split = tl.program_id(1)
//   tl.store(part_ptr + row * D + cols, acc)      acc hangs on split, its place does not
#pragma once

#include "audit/RuleSite.h"
#include "audit/Wrappers.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace nereid::audit {

/// Whether the launches that are known have more than one program along the axis.
bool mayBeMany(const KernelLaunches &launches, unsigned axis);

void findSharedStores(mlir::func::FuncOp kernel, const KernelLaunches &launches, RuleSite &site);

} // namespace nereid::audit
