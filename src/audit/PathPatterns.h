// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Patterns for files and folders that are left out: `build`, `tests/gpu`, `*_ascend.py`. One
// matches a whole path from the folder that patterns are about, a folder above it, or any one name
// in it.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/GlobPattern.h"

#include <string>
#include <vector>

namespace nereid::audit {

class PathPatterns {
public:
  PathPatterns() = default;
  /// `root`: the folder; empty for the working one. Patterns that are none match nothing.
  PathPatterns(llvm::ArrayRef<std::string> patterns, const std::string &root);

  bool match(llvm::StringRef path) const;

  /// What is wrong with a pattern; empty for nothing.
  static std::string check(llvm::StringRef pattern);

private:
  bool matchText(llvm::StringRef text) const;

  std::vector<llvm::GlobPattern> globs;
  std::string root;
};

} // namespace nereid::audit
