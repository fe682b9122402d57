// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Integer values that are index expressions: positions, sizes, and what is made of them. A gather
// by such a value reads at an expression, and loads no indices: reflecting pads, repeats, and
// whatever else picks by a pattern. A condition on such values says which elements of a tensor are
// looked at: causal masks, bands, lengths.
#pragma once

#include "schedule/program/Value.h"

namespace nereid::schedule {

/// The accessed element as an expression over its reader's indices; nothing where it depends on
/// data, or may leave 64 bits.
std::optional<Expr> asIndexExpr(const Access &access, const Program &program);

/// The accessed bool as a condition on its reader's indices and on integers of the program's
/// inputs, whose symbols are appended to `loaded`.
std::optional<Pred> asCondition(const Access &access, const Program &program,
                                std::vector<LoadedIndex> &loaded);

} // namespace nereid::schedule
