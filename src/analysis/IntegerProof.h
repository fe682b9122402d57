// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Decides a bound over the integers by Presburger arithmetic: all facts that are affine in the
// symbols the bound hangs on, with quotients and remainders by numbers taken exactly. Entry point:
// decideOverIntegers.
//
// The Presburger library has no budget of its own, so problems above a size are not given to it. A
// term that is not affine (a product of sizes, a quotient by one) counts as a number of which only
// the range is known; so `Holds` is always right, while a point where the bound fails is a
// candidate to be tried.
#pragma once

#include "index/Facts.h"

namespace nereid::analysis {

struct IntegerAnswer {
  enum class Kind : uint8_t { Holds, Fails, TooLarge };
  Kind kind = Kind::TooLarge;
  /// Values of symbols where the bound may fail.
  llvm::DenseMap<index::Expr, int64_t> point;
  /// A term that is not affine; null when all are.
  index::Expr notAffine;
};

/// `bound` is an inequality; the facts hold.
IntegerAnswer decideOverIntegers(const index::Facts &facts, index::Pred bound);

} // namespace nereid::analysis
