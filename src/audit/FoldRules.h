// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Folds that count what is there, and get something else wrong: what they are divided by, where
// they start, and what they have to be scaled by on the way. TRC004, TRN009 and TRN017.
//
//   tl.sum(x, axis=0) / BLOCK                  of a row of n numbers, n <= BLOCK
//   best = tl.maximum(best, x)                 from best = 0
//   total += tl.sum(tl.exp(x - m_new), 0)      which was a sum of tl.exp(x - m)
#pragma once

#include "audit/RuleSite.h"
#include "audit/Wrappers.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace nereid::audit {

void findFoldFaults(mlir::func::FuncOp kernel, const KernelLaunches &launches, RuleSite &site);

} // namespace nereid::audit
