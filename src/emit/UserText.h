// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Text of the user's own that an emitted file repeats: definitions that constructors and results
// need.
#pragma once

#include "emit/FileParts.h"

namespace nereid::emit {

/// Notes which of the modules that an emitted file may import a text uses.
void noteModules(llvm::StringRef text, FileParts &parts);

/// Sorts definitions of the user's files into imports and definitions; what the emitted file
/// imports anyway is left out.
void addDefinitions(llvm::StringRef text, FileParts &parts);

/// Whether a text uses a name as a word of its own, not as an attribute.
bool mentions(llvm::StringRef text, llvm::StringRef name);

/// The name that an import of one name binds; empty where it binds several or all.
llvm::StringRef getBoundName(llvm::StringRef line);

} // namespace nereid::emit
