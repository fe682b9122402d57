// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Comments that say that a finding is known: `# nereid: ignore[oob-access] reason` behind a line or
// above it, `# nereid: ignore-file[...]` for the whole file.
#pragma once

#include "audit/Audit.h"

namespace nereid::audit {

/// Marks the findings that comments in these files suppress, and adds one for each comment that
/// suppresses nothing.
void applySuppressions(llvm::ArrayRef<std::shared_ptr<const SourceFile>> files,
                       std::vector<Finding> &findings);

} // namespace nereid::audit
