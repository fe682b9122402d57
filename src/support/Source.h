// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A source file held in memory, places in it, and the translation of byte offsets to lines.
#pragma once

#include "llvm/ADT/StringMap.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace nereid {

/// A half-open range of byte offsets in one source file.
struct SourceRange {
  uint32_t begin = 0;
  uint32_t end = 0;
};

/// A 1-based line and a 0-based column, the column counted in bytes of UTF-8 (as CPython's ast
/// does).
struct LineColumn {
  uint32_t line = 1;
  uint32_t column = 0;
};

/// An immutable text with its name. Files are shared: AST nodes, diagnostics and locations refer to
/// them by pointer.
class SourceFile {
public:
  SourceFile(std::string name, std::string text);

  llvm::StringRef getName() const { return name; }
  llvm::StringRef getText() const { return text; }
  llvm::StringRef getText(SourceRange range) const;

  LineColumn getLineColumn(uint32_t offset) const;
  /// The text of a 1-based line without its line end; empty beyond the last.
  llvm::StringRef getLine(uint32_t line) const;
  uint32_t getLineCount() const { return lineStarts.size(); }
  /// The offset at which a 1-based line starts.
  uint32_t getLineStart(uint32_t line) const { return lineStarts[line - 1]; }

private:
  std::string name;
  std::string text;
  std::vector<uint32_t> lineStarts;
};

/// A place that a message can point at; `file` is null for "no place".
struct SourceLocation {
  const SourceFile *file = nullptr;
  SourceRange range;
};

/// Reads a whole file of at most `maxBytes`. On failure returns null and sets `error` to a reason
/// that reads well after "cannot read 'NAME': ".
std::unique_ptr<SourceFile> readSourceFile(llvm::StringRef path, std::string &error,
                                           uint64_t maxBytes = uint64_t(64) << 20);

/// Texts that stand in for those of files, by their paths without `.` and `..`: what a change would
/// make of them.
using SourceTexts = llvm::StringMap<std::string>;
/// The same, of `texts` where these have it; null: they have nothing.
std::unique_ptr<SourceFile> readSourceFile(llvm::StringRef path, std::string &error,
                                           const SourceTexts *texts);

} // namespace nereid
