// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The names of classes as names of functions and files.
#pragma once

#include "llvm/ADT/StringExtras.h"

#include <string>

namespace nereid {

/// `FeedForwardGate` as `feed_forward_gate`.
inline std::string toSnakeCase(llvm::StringRef name) {
  std::string result;
  for (size_t i = 0; i < name.size(); ++i) {
    bool upper = llvm::isUpper(name[i]);
    bool afterLower = i > 0 && (llvm::isLower(name[i - 1]) || llvm::isDigit(name[i - 1]));
    bool startsWord =
        i > 0 && llvm::isUpper(name[i - 1]) && i + 1 < name.size() && llvm::isLower(name[i + 1]);
    // RMSNorm_forward has its underscore already.
    if (upper && (afterLower || startsWord))
      result += '_';
    result += llvm::toLower(name[i]);
  }
  return result;
}

} // namespace nereid
