// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The format mini-language of f-strings, format() and str.format, and the parts of it that `%`
// shares.
#pragma once

#include "python/machine/Internals.h"

namespace nereid::machine {

/// [[fill]align][sign][z][#][0][width][grouping][.precision][type].
struct FormatSpec {
  std::string fill = " ";
  char align = 0;
  char sign = '-';
  bool alternate = false;
  bool zero = false;
  int64_t width = 0;
  char grouping = 0;
  int64_t precision = -1;
  char type = 0;
};

/// A number at the start of `text`, which it leaves behind; false when there is none.
bool parseNumber(llvm::StringRef &text, int64_t &number);
/// `sign` and `body`, brought to the width; `length` is the length of the body in characters.
std::string pad(const FormatSpec &spec, std::string sign, std::string body, char defaultAlign,
                size_t bodyLength);
std::optional<std::string> formatFloat(Internals &in, FormatSpec spec, double number, Value value);
std::optional<std::string> formatInteger(Internals &in, FormatSpec spec, const IntObject &number,
                                         Value value);

/// How many characters an UTF-8 text has.
size_t codePoints(llvm::StringRef text);
std::string firstCodePoints(llvm::StringRef text, size_t count);

} // namespace nereid::machine
