// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a launch does at ordinary sizes of the caller's tensors, as runs in the interpreter show it:
// TRC009, elements of a result that it stores nothing to and nobody else does; TRC027, what it
// reads or adds to before anybody has stored to it; TRC001 where proofs and searches say nothing.
//
//   out = torch.empty_like(x)
//   kernel[(n // 128,)](x, out, n, BLOCK=128)      the last n % 128 elements are left out
#pragma once

#include "analysis/AccessProofs.h"
#include "audit/LaunchRun.h"
#include "audit/RuleSite.h"
#include "audit/Wrappers.h"

namespace nereid::audit {

/// `accesses`: those of the kernel, each with its argument.
void findByRuns(mlir::func::FuncOp kernel, llvm::ArrayRef<analysis::AccessVerdict> accesses,
                const FoundLaunch &found, const LaunchRun::CompileAt &compileAt, RuleSite &site);

} // namespace nereid::audit
