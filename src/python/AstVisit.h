// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls a function for each direct child of a node, in the order of CPython's fields.
#pragma once

#include "python/Ast.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace nereid::python {

void forEachChild(const Node &node, llvm::function_ref<void(const Node &)> visit);

} // namespace nereid::python
