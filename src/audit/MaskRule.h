// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// TRC002: an access at the same places as another one, without the mask that bounds these there.
//
//   x = tl.load(x_ptr + cols, mask=cols < n)
//   w = tl.load(w_ptr + cols)                  cols goes beyond n, so this needs a mask too
#pragma once

#include "audit/RuleSite.h"
#include "audit/Wrappers.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace nereid::audit {

/// What is proved to stay inside is not found, nor what is shown to leave its tensor.
void findMissingMasks(mlir::func::FuncOp kernel, const KernelLaunches &launches,
                      const AuditedKernel &audited, RuleSite &site);

} // namespace nereid::audit
