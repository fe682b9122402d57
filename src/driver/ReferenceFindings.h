// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a comparison with a reference found, as findings of the audit: cases that fail in one way
// are one finding, which tells the simplest of them.
#pragma once

#include "audit/Audit.h"
#include "validate/Validate.h"

#include <functional>

namespace nereid::driver {

struct ReferenceTexts {
  std::string wrapper, reference;
  /// The wrapper's definition, in a text that outlives the run.
  SourceLocation place;
  /// The same place in a text that outlives the run.
  std::function<SourceLocation(const SourceLocation &)> keep;
  /// A file by its name; null for others.
  std::function<const SourceFile *(llvm::StringRef)> findFile;
};

/// False after an error: nothing could be run, or something is not supported.
bool addFindings(const validate::Report &report, const ReferenceTexts &texts,
                 audit::AuditResult &result, Diagnostics &diagnostics);

} // namespace nereid::driver
