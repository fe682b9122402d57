// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Prints the tree as CPython's `ast.dump` does, character for character.
#pragma once

#include "python/Ast.h"

#include "llvm/Support/raw_ostream.h"

namespace nereid::python {

struct DumpOptions {
  /// lineno, col_offset and so on, as with `include_attributes=True`.
  bool includeAttributes = true;
  /// The fields that came with Python 3.12 (type_params).
  bool typeParams = true;
  /// Leave out the attributes of what lies inside f-strings, which Python 3.11 gets wrong.
  bool skipFStringAttributes = false;
};

void dumpAst(const ParsedFile &file, llvm::raw_ostream &os, const DumpOptions &options = {});

} // namespace nereid::python
