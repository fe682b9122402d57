// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether two stores of different programs keep apart, asked over the integers: the second
// program's symbols are the first's with a prime, both addresses are equal, and no axis of the grid
// tells the two programs apart.
#include "analysis/Access.h"

namespace nereid::analysis {

static bool holds(const index::Facts &facts, index::Pred pred) {
  return decideOverIntegers(facts, pred).kind == IntegerAnswer::Kind::Holds;
}

bool areApart(const Access &a, const Access &b, const LaneValues &lanes,
              const LaunchContract &contract) {
  if (!a.problem.empty() || !b.problem.empty())
    return false;
  index::Context &context = contract.getContext();
  index::Facts facts = a.facts;
  llvm::DenseMap<index::Expr, index::Expr> primed;
  auto prime = [&](index::Expr atom) -> index::Expr {
    if (!atom.isSymbol() || !atom.getName().starts_with("$"))
      return {};
    index::Expr &second = primed[atom];
    if (!second) {
      second = context.symbol((atom.getName() + "'").str());
      facts.setRange(second, b.facts.range(atom));
    }
    return second;
  };
  for (index::Pred pred : b.facts.getAssumptions())
    facts.assume(index::substitute(pred, prime));
  facts.assume(index::eq(a.offset, index::substitute(b.offset, prime)));
  for (unsigned axis = 0; axis < contract.grid.size(); ++axis) {
    index::Expr first = lanes.programId(axis), second = prime(first);
    // A pair of programs with one access can be taken in either order.
    if (!holds(facts, index::le(second, first)) ||
        (&a != &b && !holds(facts, index::ge(second, first))))
      return false;
  }
  return true;
}

} // namespace nereid::analysis
