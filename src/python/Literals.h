// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The values of number and string literals.
#pragma once

#include "python/AstExpr.h"

#include "llvm/Support/Allocator.h"

#include <string>

namespace nereid::python {

/// Why a literal has no value, and where in its text.
struct LiteralError {
  uint32_t offset = 0;
  std::string message;
  std::string help;

  explicit operator bool() const { return !message.empty(); }
};

/// Sets type and value of a constant from the text of a number token.
LiteralError readNumber(llvm::StringRef text, llvm::BumpPtrAllocator &arena, Constant &constant);

/// A string token taken apart.
struct StringLiteral {
  bool raw = false;
  bool bytes = false;
  bool unicode = false;
  llvm::StringRef body;
};
StringLiteral splitString(llvm::StringRef token);

/// Appends the value of the text between the quotes: escapes are replaced (unless raw), line ends
/// become "\n". With `braces`, as in f-strings, doubled braces become single ones.
LiteralError decodeString(llvm::StringRef body, bool raw, bool bytes, bool braces,
                          std::string &value);

/// Python's `repr` of a float.
std::string formatFloat(double value);
/// Python's `repr` of an imaginary number without real part.
std::string formatImaginary(double value);
/// A string (WTF-8) or bytes as a literal: Python's `repr`, or the same with the other quote where
/// both would do.
std::string formatString(llvm::StringRef text, char preferred = '\'');
std::string formatBytes(llvm::StringRef bytes, char preferred = '\'');

} // namespace nereid::python
