// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Refutes the opposite of a bound by exact linear programming over monomials. Each monomial of the
// facts, of what is known of their quotients and remainders, and of products of these with factors
// >= 0 counts as a variable of its own; when no rational point satisfies all of them, the bound
// holds. Slower than the prover of index::Facts, and surer where many facts meet.
#pragma once

#include "index/Facts.h"

namespace nereid::analysis {

/// Whether `bound` follows from the facts; false means not known.
bool isTrueLinearly(const index::Facts &facts, index::Pred bound);

/// Whether no values of the symbols satisfy the facts; false means not known.
bool areContradictory(const index::Facts &facts);

} // namespace nereid::analysis
