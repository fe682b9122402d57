// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Integer values that are index expressions: positions, sizes, and what is made of them. A gather
// by such a value reads at an expression, and loads no indices: reflecting pads, repeats, and
// whatever else picks by a pattern.
#pragma once

#include "schedule/Value.h"

namespace nereid::schedule {

/// The accessed element as an expression over its reader's indices; nothing where it depends on
/// data, or may leave 64 bits.
std::optional<Expr> asIndexExpr(const Access &access, const Program &program);

} // namespace nereid::schedule
