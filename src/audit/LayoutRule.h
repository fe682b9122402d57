// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// TRC011: a tensor whose strides a public wrapper does not give to the kernel, in whole or in part,
// and which the kernel reads as if it were dense, or as another tensor lies.
#pragma once

#include "audit/RuleSite.h"
#include "audit/Wrappers.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace nereid::audit {

void findAssumedLayouts(llvm::ArrayRef<mlir::func::FuncOp> kernels, const KernelLaunches &launches,
                        RuleSite &site);

} // namespace nereid::audit
