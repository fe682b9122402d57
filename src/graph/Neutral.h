// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The neutral elements of folds: what the fold of no elements is, and what changes no fold.
#pragma once

#include "graph/GraphOps.h"

namespace nereid::graph {

double neutralReal(FoldKind kind);
/// Of elements of an integer type; for argmax and argmin an element that is never the first one.
int64_t neutralInteger(FoldKind kind, mlir::Type type);

} // namespace nereid::graph
