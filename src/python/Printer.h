// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Prints a tree as Python source that parses to the same tree. Layout is normal (four spaces, one
// statement a line); use ParsedFile::getText for the text as it was written.
#pragma once

#include "python/Ast.h"

#include "llvm/Support/raw_ostream.h"

#include <string>

namespace nereid::python {

void printModule(const Module &module, llvm::raw_ostream &os);
/// Statements at a depth of `indent` steps of four spaces.
void printBody(Body body, llvm::raw_ostream &os, unsigned indent = 0);
std::string printExpr(const Expr &expr);

} // namespace nereid::python
