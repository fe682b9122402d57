// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What follows for sizes from what is known on an executed lane: a lane below a product of sizes
// says that none of them is 0, and a reshape that holds all elements divides its sizes evenly.
#pragma once

#include "analysis/LaunchContract.h"

namespace nereid::analysis {

/// Sizes alone, no program, lane or loop.
bool isOfSizes(index::Expr expr);

/// The greatest monomial that divides all terms, and what remains without it.
std::pair<index::Expr, index::Expr> takeOutFactors(index::Expr expr);

/// A product that is >= 1 of factors that are >= 0 has none that is 0, and what remains beside
/// these factors is >= 1 too.
void inferPositiveFactors(index::Facts &facts);
/// A tensor with an element has no size 0; all that follows from that.
void inferPositiveSizes(index::Facts &facts, const LaunchContract &contract);

} // namespace nereid::analysis
