// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/SizeBounds.h"
#include "analysis/Inference.h"

#include "index/Storage.h"

namespace nereid::analysis {

using index::Expr;

namespace {
class Bounds {
public:
  explicit Bounds(const index::Facts &facts) : facts(facts), context(facts.getContext()) {}

  Expr of(Expr expr, End end) const;

private:
  Expr ofTerm(index::Term term, End end) const;
  Expr ofAtom(Expr atom, End end) const;
  Expr ofQuotient(Expr x, Expr divisor, End end) const;
  Expr assumed(Expr varying, End end) const;
  bool isAtLeast(Expr expr, int64_t least) const { return facts.isTrue(index::ge(expr, least)); }

  const index::Facts &facts;
  index::Context &context;
};
} // namespace

static End opposite(End end) { return end == End::Least ? End::Greatest : End::Least; }

/// What an assumption says of a sum of lanes and programs: of `varying <= sizes` the sizes.
Expr Bounds::assumed(Expr varying, End end) const {
  for (index::Pred pred : facts.getAssumptions()) {
    if (pred.getKind() != index::PredKind::NonNegative)
      continue;
    Expr sizes = end == End::Greatest ? pred.getExpr() + varying : varying - pred.getExpr();
    if (isOfSizes(sizes))
      return sizes;
  }
  return {};
}

/// x // d with d >= 1 grows with x; of x < d * q it is q - 1 at most.
Expr Bounds::ofQuotient(Expr x, Expr divisor, End end) const {
  if (!isOfSizes(divisor) || !isAtLeast(divisor, 1))
    return {};
  Expr bound = of(x, end);
  if (!bound || end == End::Least)
    return bound ? index::floordiv(bound, divisor) : Expr();
  Expr quotient = index::floordiv(bound + 1, divisor);
  return quotient * divisor == bound + 1 ? quotient - 1 : index::floordiv(bound, divisor);
}

Expr Bounds::ofAtom(Expr atom, End end) const {
  if (atom.getKind() == index::ExprKind::FloorDiv)
    return ofQuotient(atom.getOperands()[0], atom.getOperands()[1], end);
  if (atom.getKind() == index::ExprKind::Mod) {
    Expr divisor = atom.getOperands()[1];
    if (!isOfSizes(divisor) || !isAtLeast(divisor, 1))
      return {};
    return end == End::Least ? context.constant(0) : divisor - 1;
  }
  index::Range range = facts.range(atom);
  std::optional<int64_t> number = end == End::Least ? range.lo : range.hi;
  return number ? context.constant(*number) : Expr();
}

/// One factor varies, the others are sizes.
Expr Bounds::ofTerm(index::Term term, End end) const {
  Expr varying, sizes = context.constant(term.coefficient);
  for (index::Factor factor : index::factorsOf(term.monomial)) {
    bool isSize = isOfSizes(factor.atom);
    if (!isSize && (varying || factor.power > 1))
      return {};
    if (!isSize)
      varying = factor.atom;
    else if (!isAtLeast(factor.atom, 0))
      return {};
    for (unsigned i = 0; isSize && i < factor.power; ++i)
      sizes = sizes * factor.atom;
  }
  Expr bound = ofAtom(varying, term.coefficient > 0 ? end : opposite(end));
  return bound ? bound * sizes : Expr();
}

Expr Bounds::of(Expr expr, End end) const {
  Expr bound = context.constant(expr.getConstantTerm()), varying = context.constant(0);
  llvm::SmallVector<index::Term, 4> terms;
  for (index::Term term : expr.getTerms()) {
    if (isOfSizes(term.monomial)) {
      bound = bound + term.monomial * term.coefficient;
      continue;
    }
    varying = varying + term.monomial * term.coefficient;
    terms.push_back(term);
  }
  if (terms.empty())
    return bound;
  if (Expr known = assumed(varying, end))
    return bound + known;
  for (index::Term term : terms) {
    Expr part = ofTerm(term, end);
    if (!part)
      return {};
    bound = bound + part;
  }
  return bound;
}

Expr boundInSizes(Expr expr, End end, const index::Facts &facts) {
  return Bounds(facts).of(expr, end);
}

} // namespace nereid::analysis
