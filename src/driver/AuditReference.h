// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `nereid audit K.py:wrapper --reference REF.py:function`: the wrapper is run in the interpreter
// beside the function in PyTorch, over the matrix of inputs of `nereid validate`.
#pragma once

#include "audit/Audit.h"
#include "driver/Session.h"

namespace nereid::driver {

/// Adds what the comparison finds and its sums. False after an error: it cannot be made.
bool compareWithReference(Session &session, const AuditOptions &options,
                          audit::AuditResult &result);

} // namespace nereid::driver
