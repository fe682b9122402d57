// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "python/machine/Prelude.h"

using namespace nereid;

namespace {

struct PreludeModule {
  llvm::StringLiteral file, name; // `functools.py`, `functools`
  const char *text;
};

constexpr PreludeModule preludeModules[] = {
#include "MachinePrelude.inc"
};

} // namespace

const char *machine::preludeSource(llvm::StringRef module) {
  for (const PreludeModule &prelude : preludeModules)
    if (prelude.name == module)
      return prelude.text;
  return nullptr;
}
