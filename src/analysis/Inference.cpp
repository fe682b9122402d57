// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/Inference.h"

#include "index/Storage.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"

namespace nereid::analysis {

std::pair<index::Expr, index::Expr> takeOutFactors(index::Expr expr) {
  index::Context &context = expr.getContext();
  index::Expr outer = context.constant(1);
  llvm::SmallVector<index::Term, 4> terms = expr.getTerms();
  if (terms.empty() || expr.getConstantTerm() != 0 ||
      terms[0].monomial.getKind() != index::ExprKind::Product)
    return {outer, expr};
  for (index::Factor factor : terms[0].monomial.getFactors())
    for (unsigned i = 0; i < factor.power; ++i) {
      index::Expr rest = index::floordiv(expr, factor.atom);
      if (rest * factor.atom != expr)
        break;
      outer = outer * factor.atom;
      expr = rest;
    }
  return {outer, expr};
}

bool isOfSizes(index::Expr expr) {
  bool isSizes = true;
  index::forEachSymbol(expr,
                       [&](index::Expr symbol) { isSizes &= !symbol.getName().starts_with("$"); });
  return isSizes;
}

/// Whether ranges say already that a part is at least 1, and so is each of its factors.
static bool isKnownPositive(index::Expr part, const index::Facts &facts) {
  auto isPositive = [&](index::Expr expr) {
    index::Range range = facts.range(expr);
    return range.lo && *range.lo >= 1;
  };
  if (part.getKind() == index::ExprKind::Sum)
    return false;
  return llvm::all_of(index::factorsOf(part),
                      [&](index::Factor factor) { return isPositive(factor.atom); });
}

/// The part P of sizes of P + c - rest - 1 >= 0 where rest >= 0 and rest >= c: it is at least 1.
/// What is added of a remainder by d is d - 1 at most.
static index::Expr positivePart(index::Pred pred, const index::Facts &facts) {
  // Most facts bound one number, or sizes from above.
  llvm::SmallVector<index::Term, 4> all = pred.getExpr().getTerms();
  bool addsAny = llvm::any_of(all, [](index::Term term) { return term.coefficient > 0; });
  bool isOne = all.size() == 1 && all[0].monomial.getKind() != index::ExprKind::Mod;
  if (!addsAny || (isOne && isKnownPositive(all[0].monomial, facts)))
    return {};
  index::Expr part = facts.getContext().constant(pred.getExpr().getConstantTerm() + 1);
  llvm::SmallVector<index::Term, 4> varying;
  for (index::Term term : all) {
    bool isRemainder = term.coefficient > 0 && term.monomial.getKind() == index::ExprKind::Mod;
    index::Expr divisor = isRemainder ? term.monomial.getOperands()[1] : index::Expr();
    if (divisor && isOfSizes(divisor) && facts.isTrue(index::ge(divisor, 1)))
      part = part + (divisor - 1) * term.coefficient;
    else if (isOfSizes(term.monomial))
      part = part + term.monomial * term.coefficient;
    else
      varying.push_back(term);
  }
  int64_t constant = part.getConstantTerm();
  part = part - constant;
  if (part.isConstant() || isKnownPositive(part, facts))
    return {};
  index::Expr rest = facts.getContext().constant(0);
  for (index::Term term : varying)
    rest = rest - term.monomial * term.coefficient;
  index::Range range = facts.range(rest);
  if (constant > 0)
    return range.lo && *range.lo >= constant ? part : index::Expr();
  return facts.isTrue(index::ge(rest, 0)) ? part : index::Expr();
}

/// The one product of sizes that an inequality adds, where all else of it is below 0: with M >= 1,
/// the N of 2 * N >= M.
static index::Expr positiveTerm(index::Pred pred, const index::Facts &facts) {
  std::optional<index::Term> only;
  llvm::SmallVector<index::Term, 4> terms = pred.getExpr().getTerms();
  for (index::Term term : terms) {
    if (term.coefficient > 0 && only)
      return {};
    if (term.coefficient > 0)
      only = term;
  }
  if (!only || terms.size() == 1 || isKnownPositive(only->monomial, facts) ||
      !isOfSizes(pred.getExpr()))
    return {};
  index::Range rest = facts.range(pred.getExpr() - only->monomial * only->coefficient);
  return rest.hi && *rest.hi < 0 ? only->monomial : index::Expr();
}

static void assumePositive(index::Expr part, index::Facts &facts) {
  auto [outer, inner] = takeOutFactors(part);
  if (inner == part) {
    facts.assume(index::ge(part, 1));
    return;
  }
  llvm::SmallVector<index::Expr> factors;
  if (outer.getKind() == index::ExprKind::Product)
    for (index::Factor factor : outer.getFactors())
      factors.push_back(factor.atom);
  else
    factors.push_back(outer);
  bool allKnown =
      llvm::all_of(factors, [&](index::Expr factor) { return facts.isTrue(index::ge(factor, 0)); });
  if (!allKnown)
    return;
  for (index::Expr factor : factors)
    facts.assume(index::ge(factor, 1));
  facts.assume(index::ge(part, 1));
  // A part of the factors beside the inner one is >= 1 as well: M * N - N of B * (M * N - N).
  llvm::SmallVector<index::Expr> products = {inner};
  for (index::Expr factor : factors)
    for (size_t i = 0, count = products.size(); i < count; ++i)
      products.push_back(products[i] * factor);
  for (index::Expr product : products)
    facts.assume(index::ge(product, 1));
}

void inferPositiveFactors(index::Facts &facts) {
  // A quotient that is positive says that what it divides is, which has factors again.
  constexpr unsigned maxRounds = 3;
  size_t seen = 0;
  for (unsigned round = 0; round < maxRounds; ++round) {
    llvm::SmallVector<index::Pred> work(facts.getAssumptions().drop_front(seen));
    seen += work.size();
    for (auto find : {positivePart, positiveTerm})
      for (index::Pred pred : work)
        if (pred.getKind() == index::PredKind::NonNegative)
          if (index::Expr part = find(pred, facts))
            assumePositive(part, facts);
  }
}

/// k - s * rest >= 0 with a size s >= 1 and rest >= 0 says k - rest >= 0 too: one axis of a tensor
/// is no longer than the tensor.
static void inferPartBounds(index::Facts &facts) {
  auto isAtLeast = [&](index::Expr expr, int64_t least) {
    index::Range range = facts.range(expr);
    return range.lo && *range.lo >= least;
  };
  llvm::SmallVector<index::Pred> work(facts.getAssumptions());
  // Each round takes off one factor of a product; sizes have few.
  const size_t maxBounds = work.size() + 48;
  for (size_t i = 0; i < work.size() && work.size() < maxBounds; ++i) {
    if (work[i].getKind() != index::PredKind::NonNegative)
      continue;
    index::Expr expr = work[i].getExpr(), rest = expr.getConstantTerm() - expr;
    llvm::SmallVector<index::Term, 4> terms = rest.getTerms();
    if (expr.getConstantTerm() < 0 || terms.empty() ||
        terms[0].monomial.getKind() != index::ExprKind::Product)
      continue;
    for (index::Factor factor : terms[0].monomial.getFactors()) {
      std::optional<index::LinearIn> linear = index::asLinearIn(rest, factor.atom);
      if (!linear || !linear->rest.isConstant(0) || !isAtLeast(factor.atom, 1) ||
          !isAtLeast(linear->coefficient, 0))
        continue;
      index::Pred bound = index::le(linear->coefficient, expr.getConstantTerm());
      if (!llvm::is_contained(work, bound))
        work.push_back(bound);
    }
  }
  for (index::Pred pred : work)
    facts.assume(pred);
}

/// x * y == 4 * (x // 2) * (y // 2) of numbers >= 1 says that both are even, as x >= 2 * (x // 2).
static void inferExactQuotients(index::Facts &facts, index::Expr zero) {
  llvm::SmallVector<index::Term, 4> terms = zero.getTerms();
  if (terms.size() != 2 || zero.getConstantTerm() != 0)
    return;
  index::Expr parts = terms[0].monomial * terms[0].coefficient;
  index::Expr whole = terms[1].monomial * -terms[1].coefficient;
  llvm::SmallVector<index::Expr> quotients;
  for (bool turned : {false, true}) {
    if (turned)
      std::swap(parts, whole);
    quotients.clear();
    index::Expr rounded = parts;
    for (index::Factor factor : index::factorsOf(parts.getTerms()[0].monomial))
      if (factor.atom.getKind() == index::ExprKind::FloorDiv && factor.power == 1) {
        llvm::ArrayRef<index::Expr> operands = factor.atom.getOperands();
        index::Expr rest = index::floordiv(rounded, factor.atom * operands[1]);
        if (rest * factor.atom * operands[1] != rounded)
          continue;
        rounded = rest * operands[0];
        quotients.push_back(factor.atom);
      }
    if (!quotients.empty() && rounded == whole)
      break;
    quotients.clear();
  }
  auto isAtLeast = [&](index::Expr expr, int64_t least) {
    return facts.isTrue(index::ge(expr, least));
  };
  bool isPositive = llvm::all_of(quotients, [&](index::Expr quotient) {
    return isAtLeast(quotient.getOperands()[0], 0) && isAtLeast(quotient.getOperands()[1], 1);
  });
  if (!isPositive || !isAtLeast(whole, 1))
    return;
  for (index::Expr quotient : quotients)
    facts.assume(index::eq(quotient.getOperands()[0] - quotient * quotient.getOperands()[1], 0));
}

/// A product that is 0 of factors that are >= 1 and a rest says that the rest is 0: the sizes of a
/// reshape that has elements.
static void inferZeroParts(index::Facts &facts) {
  llvm::SmallVector<index::Pred> work(facts.getAssumptions());
  for (index::Pred pred : work) {
    if (pred.getKind() != index::PredKind::Zero)
      continue;
    auto [outer, inner] = takeOutFactors(pred.getExpr());
    if (!outer.isConstant() && facts.isTrue(index::ge(outer, 1)))
      facts.assume(index::eq(inner, 0));
    else
      inner = pred.getExpr();
    inferExactQuotients(facts, inner);
  }
}

/// What holds of a minimum that is added holds with each of what it is the least of: sizes among
/// them are as large.
static void inferExtremeParts(index::Facts &facts) {
  llvm::SmallVector<index::Pred> work(facts.getAssumptions());
  for (index::Pred pred : work) {
    if (pred.getKind() != index::PredKind::NonNegative)
      continue;
    for (index::Term term : pred.getExpr().getTerms()) {
      if (term.coefficient < 0 || term.monomial.getKind() != index::ExprKind::Min)
        continue;
      for (index::Expr operand : term.monomial.getOperands())
        if (isOfSizes(operand))
          facts.assume(index::ge(pred.getExpr() + (operand - term.monomial) * term.coefficient, 0));
    }
  }
}

/// A maximum that can be only one of its operands is that one: with max(M - 1, 0) >= 1 it is M - 1.
static void inferGreatest(index::Facts &facts) {
  llvm::SmallVector<index::Pred> work(facts.getAssumptions());
  for (index::Pred pred : work) {
    if (pred.getKind() != index::PredKind::NonNegative)
      continue;
    for (index::Term term : pred.getExpr().getTerms()) {
      if (term.coefficient < 0 || term.monomial.getKind() != index::ExprKind::Max)
        continue;
      auto with = [&](index::Expr operand) {
        return pred.getExpr() + (operand - term.monomial) * term.coefficient;
      };
      llvm::SmallVector<index::Expr, 2> possible;
      for (index::Expr operand : term.monomial.getOperands())
        if (index::Range range = facts.range(with(operand)); !range.hi || *range.hi >= 0)
          possible.push_back(operand);
      if (possible.size() == 1) {
        facts.assume(index::ge(with(possible.front()), 0));
        facts.assume(index::eq(term.monomial, possible.front()));
      }
    }
  }
}

/// What a number of a program lies between has room for it: with K * M + N <= x < 2 * K * M + N,
/// K * M >= 1.
static void inferSpans(index::Facts &facts) {
  index::Expr none = facts.getContext().constant(0);
  llvm::MapVector<index::Expr, llvm::SmallVector<index::Expr, 2>> bounds;
  for (index::Pred pred : facts.getAssumptions()) {
    if (pred.getKind() != index::PredKind::NonNegative)
      continue;
    index::Expr varying = none;
    for (index::Term term : pred.getExpr().getTerms())
      if (!isOfSizes(term.monomial))
        varying = varying + term.monomial * term.coefficient;
    if (!varying.isConstant(0))
      bounds[varying].push_back(pred.getExpr() - varying);
  }
  llvm::SmallVector<index::Pred> spans;
  for (auto &[varying, lower] : bounds) {
    // Each pair once.
    index::Expr turned = none - varying;
    auto *upper = turned < varying ? bounds.find(turned) : bounds.end();
    if (upper == bounds.end())
      continue;
    for (index::Expr low : lower)
      for (index::Expr high : upper->second)
        if (!low.isConstant() || !high.isConstant())
          spans.push_back(index::ge(low + high, 0));
  }
  for (index::Pred span : spans)
    facts.assume(span);
}

void inferPositiveSizes(index::Facts &facts, const LaunchContract &contract) {
  index::Context &context = facts.getContext();
  inferExtremeParts(facts);
  inferSpans(facts);
  llvm::SmallDenseSet<index::Expr> tried;
  auto isKnown = [&](index::Expr size) {
    index::Range range = facts.range(size);
    return (range.lo && *range.lo >= 1) ||
           llvm::is_contained(facts.getAssumptions(), index::ge(size, 1));
  };
  for (const ArgumentContract &argument : contract.arguments) {
    if (argument.sizes.empty() || llvm::all_of(argument.sizes, isKnown))
      continue;
    index::Expr count = index::product(context, argument.sizes);
    if (!tried.insert(count).second || count.isConstant() || !facts.isTrue(index::ge(count, 1)))
      continue;
    for (index::Expr size : argument.sizes)
      facts.assume(index::ge(size, 1));
  }
  inferPositiveFactors(facts);
  inferGreatest(facts);
  inferPartBounds(facts);
  inferZeroParts(facts);
}

} // namespace nereid::analysis
