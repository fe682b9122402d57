// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Interval arithmetic over expressions: the range that follows from structure and from the ranges
// of atoms. Used without any knowledge by the canonical form, with facts by Facts.
#pragma once

#include "index/Facts.h"

namespace nereid::index {

/// What is known of an atom beside its structure.
using AtomRange = llvm::function_ref<Range(Expr atom)>;

/// `known` may be null. Sound for every value that the expression has. `done`, when given, keeps
/// the ranges of atoms and products, and holds for one `known`.
Range rangeOf(Expr expr, AtomRange known, llvm::DenseMap<Expr, Range> *done = nullptr);

} // namespace nereid::index
