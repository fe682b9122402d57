// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ranges of a text that are replaced, and nothing else of it; and the two texts as a unified diff.
#pragma once

#include "support/Source.h"

#include "llvm/ADT/ArrayRef.h"

#include <optional>
#include <string>
#include <vector>

namespace nereid::upgrade {

struct Edit {
  SourceRange range; // empty for what is put in
  std::string text;
};

/// The text with all edits made; nullopt where two of them overlap. Those at one place are made in
/// the order given.
std::optional<std::string> applyEdits(llvm::StringRef text, llvm::ArrayRef<Edit> edits);

/// A unified diff with three lines of context; empty when the texts are equal.
std::string makeDiff(llvm::StringRef path, llvm::StringRef before, llvm::ArrayRef<Edit> edits);

} // namespace nereid::upgrade
