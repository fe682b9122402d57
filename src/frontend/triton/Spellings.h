// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names that people write and Triton does not have, with what to write instead. Collected from the
// project's documents and from public kernels that do not compile.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace nereid::triton {

/// Where a wrong name was met.
enum class SpellingDomain : uint8_t { Language, Math, Libdevice, Method, Builtin, Module, Keyword };

/// What to write instead; empty when nothing is known. Keywords are looked up as "sum.mask".
llvm::StringRef findSpelling(SpellingDomain domain, llvm::StringRef name);
/// "did you mean `x`?" for the nearest of the candidates; empty when none is near.
std::string suggestName(llvm::StringRef name, llvm::ArrayRef<llvm::StringRef> candidates,
                        llvm::StringRef prefix);

} // namespace nereid::triton
