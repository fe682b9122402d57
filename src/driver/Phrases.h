// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers as reports spell them.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <string>

namespace nereid::driver {

/// "1 error", "2 errors".
std::string countOf(size_t number, llvm::StringRef noun);
/// By a pattern of printf: spell(0.5, "%.2f").
std::string spell(double value, const char *pattern);

} // namespace nereid::driver
