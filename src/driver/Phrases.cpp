// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/Phrases.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

namespace nereid::driver {

std::string countOf(size_t number, llvm::StringRef noun) {
  return std::to_string(number) + " " + noun.str() + (number == 1 ? "" : "s");
}

std::string spell(double value, const char *pattern) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << llvm::format(pattern, value);
  return text;
}

} // namespace nereid::driver
