// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Python text with places for values, as calls that are left to PyTorch are kept: `dim=-1`, `{0}`
// for a tensor and `{1:n}` for a number, by their places among the values; braces that are meant
// are doubled, as in Python's own formats.
#pragma once

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace nereid {

struct Placeholder {
  unsigned place = 0;
  /// A number of Python, and not a tensor.
  bool isNumber = false;
};

/// The text with its places filled in; nothing where it is malformed.
inline std::optional<std::string>
fillPlaceholders(llvm::StringRef text, llvm::function_ref<std::string(Placeholder)> spell) {
  std::string filled;
  while (!text.empty()) {
    size_t brace = text.find_first_of("{}");
    filled += text.substr(0, brace);
    if (brace == llvm::StringRef::npos)
      break;
    text = text.drop_front(brace);
    if (text.starts_with("{{") || text.starts_with("}}")) {
      filled += text[0];
      text = text.drop_front(2);
      continue;
    }
    size_t end = text.find('}');
    if (text[0] == '}' || end == llvm::StringRef::npos)
      return std::nullopt;
    Placeholder found;
    llvm::StringRef inner = text.slice(1, end);
    found.isNumber = inner.consume_back(":n");
    if (inner.getAsInteger(10, found.place))
      return std::nullopt;
    filled += spell(found);
    text = text.drop_front(end + 1);
  }
  return filled;
}

/// Text in which no brace is a place.
inline std::string escapePlaceholders(llvm::StringRef text) {
  std::string escaped;
  for (char c : text)
    escaped.append(c == '{' || c == '}' ? 2 : 1, c);
  return escaped;
}

} // namespace nereid
