// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The functions of `triton.language` with their signatures, as the library has them, and what each
// does in a sentence or two (Language.md).
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace nereid::triton {

struct LanguageFunction {
  /// `load`, `math.exp`.
  std::string name;
  /// `(pointer, mask=None)`.
  std::string signature;
  /// Empty where Language.md has nothing.
  std::string text;
};

/// In the order of their names; made once.
llvm::ArrayRef<LanguageFunction> listLanguage();
/// By its name below `triton.language`; null for others.
const LanguageFunction *findFunction(llvm::StringRef name);

} // namespace nereid::triton
