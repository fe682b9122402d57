// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rules that read what launches kernels: functions of host code, as they are written.
#pragma once

#include "audit/Audit.h"
#include "python/Ast.h"

#include "llvm/ADT/DenseSet.h"

namespace nereid::audit {

/// All functions of the file but `kernels`.
void applyHostRules(const python::ParsedFile &file,
                    const llvm::DenseSet<const python::FunctionDef *> &kernels,
                    std::vector<Finding> &findings);

} // namespace nereid::audit
