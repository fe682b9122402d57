// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rules that need no launch: they read a kernel's text, its decorators and its IR.
#pragma once

#include "audit/RuleSite.h"
#include "audit/Wrappers.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace nereid::audit {

/// `kernels`: its instances, none where it does not compile; `rejection` says why then. `audited`:
/// what is proved.
void applyKernelRules(RuleSite &site, llvm::ArrayRef<mlir::func::FuncOp> kernels,
                      const Diagnostic *rejection, const KernelLaunches &launches,
                      const AuditedKernel &audited);

} // namespace nereid::audit
