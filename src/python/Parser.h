// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The entry point of the parser. Everything that CPython's `ast.parse` refuses is refused here, at
// the same place; what only its compiler refuses (`return` outside a function) is not.
#pragma once

#include "python/Ast.h"
#include "support/Diagnostic.h"

#include <memory>

namespace nereid::python {

/// Parses a whole file. On a syntax error returns null and adds one located error, whose location
/// refers to `source`.
std::unique_ptr<ParsedFile> parseFile(std::shared_ptr<const SourceFile> source,
                                      Diagnostics &diagnostics);

} // namespace nereid::python
