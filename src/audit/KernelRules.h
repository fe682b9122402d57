// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rules that need no launch: they read a kernel's text, its decorators and its IR.
#pragma once

#include "audit/Audit.h"
#include "frontend/triton/TritonProject.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace nereid::audit {

/// `kernel`: null where it does not compile; `rejection` says why then.
void applyKernelRules(triton::TritonProject &project, const triton::JitFunction &function,
                      mlir::func::FuncOp kernel, const Diagnostic *rejection,
                      const std::string &name, std::vector<Finding> &findings);

} // namespace nereid::audit
