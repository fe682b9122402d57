// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// TRC005: an offset that 32 bits do not hold where a tensor is large.
//
//   row = tl.program_id(0)
//   tl.load(x_ptr + row * stride + cols)      `row * stride` has 32 bits
//   tl.load(x_ptr + row.to(tl.int64) * stride + cols)      good
//
// What is multiplied again in 64 bits is no offset yet, but a number of rows, which stays small.
#pragma once

#include "audit/Magnitudes.h"
#include "audit/RuleSite.h"

namespace nereid::audit {

/// What is proved of accesses without a bound on tensors is not found.
void findIndexOverflows(llvm::ArrayRef<mlir::func::FuncOp> kernels, const KernelLaunches &launches,
                        const AuditedKernel &audited, RuleSite &site);

} // namespace nereid::audit
