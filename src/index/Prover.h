// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Decides predicates under facts. An inequality t >= 0 is proved by its range, or by subtracting
// multiples of known inequalities e >= 0 until a range suffices: an unbounded term c*m of t is
// cancelled with a term d*m' of e of the same sign, where m = m' * f and f >= 0. The search deepens
// step by step within a fixed budget; running out of it answers Unknown. Goals that are false at
// a sample point have no proof, and are left at once. A product of sums is tried factor by factor.
#pragma once

#include "index/Facts.h"

namespace nereid::index {

class Prover {
public:
  explicit Prover(const Facts &facts);

  Truth prove(Pred pred);
  bool isNonNegative(Expr expr);

private:
  /// e >= 0, or e == 0 when `isEquality`.
  struct Known {
    Expr expr;
    bool isEquality;
  };

  Truth proveJoin(Pred pred);
  Truth proveZero(Expr expr);
  Truth proveDivisible(Expr expr, Expr divisor);
  Expr loosened(Expr goal) const;
  bool search(Expr goal, unsigned depth);
  bool isProductOfSums(Expr expr) const;
  bool unfoldQuotient(Expr goal, unsigned depth);
  llvm::SmallVector<Term, 4> termsToCancel(Expr goal) const;
  bool cancelAny(Expr goal, unsigned depth);
  bool splitExtreme(Expr goal, unsigned depth, bool &decided);
  bool cancel(Expr goal, Term bad, const Known &known, unsigned depth);
  bool isPositive(Expr divisor) const;
  bool isAtLeast(Expr expr, int64_t value) const;
  void addPartialDivisors(Expr quotient, llvm::SmallVectorImpl<Known> &out) const;
  void addFactsOf(Expr atom, llvm::SmallVectorImpl<Known> &out) const;
  void addFactsOfParts(Expr goal, llvm::SmallVectorImpl<Known> &out);

  const Facts &facts;
  llvm::SmallVector<Known> assumed;
  unsigned budget = 0;
  unsigned visited = 0;
  bool reachedLimit = false;
  llvm::DenseMap<Expr, llvm::SmallVector<Known, 4>> factsOfAtoms;
  /// Goals that were not proved within so many more steps.
  llvm::DenseMap<Expr, unsigned> failed;
};

} // namespace nereid::index
