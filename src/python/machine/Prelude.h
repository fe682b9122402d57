// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The parts of Python's standard library that are written in Python (prelude/*.py): the machine
// evaluates them itself when they are first imported.
#pragma once

#include "llvm/ADT/StringRef.h"

namespace nereid::machine {

/// The source of a module; null when there is none of this name.
const char *preludeSource(llvm::StringRef module);

} // namespace nereid::machine
