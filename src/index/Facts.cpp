// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "index/Facts.h"

#include "index/Divisors.h"
#include "index/Prover.h"
#include "index/RangeOf.h"
#include "index/SamplePoints.h"
#include "index/Storage.h"

#include "llvm/ADT/STLExtras.h"

namespace nereid::index {

void Facts::setRange(Expr atom, Range range) {
  askedRanges.clear();
  monomialRanges.clear();
  hasFreshSamples = false;
  auto [found, isNew] = ranges.try_emplace(atom, range);
  if (!isNew)
    found->second = found->second.intersect(range);
  if (range.hi && atom.getKind() == ExprKind::Product && !llvm::is_contained(boundedProducts, atom))
    boundedProducts.push_back(atom);
}

void Facts::setDivisible(Expr atom, int64_t divisor) {
  if (divisor == 0 || divisor == INT64_MIN)
    return;
  hasFreshSamples = false;
  divisor = std::abs(divisor);
  int64_t &known = divisors[atom];
  if (known == 0) {
    known = divisor;
    return;
  }
  // The least common multiple; when it leaves int64 the larger divisor is kept.
  std::optional<int64_t> multiple =
      checkedMultiply(known / greatestCommonDivisor(known, divisor), divisor);
  known = multiple.value_or(std::max(known, divisor));
}

/// c*x + k >= 0 or c*x + k == 0 over one atom x says a range of x.
static void addRangeOf(Facts &facts, Expr expr, bool isEquality) {
  llvm::SmallVector<Term, 4> terms = expr.getTerms();
  if (terms.size() != 1 || terms[0].coefficient == 0)
    return;
  int64_t c = terms[0].coefficient, k = expr.getConstantTerm();
  if (k == INT64_MIN || c == INT64_MIN)
    return;
  std::optional<int64_t> low, high;
  if (c > 0 || isEquality)
    low = c > 0 ? -*floorDivide(k, c) : -*floorDivide(-k, -c);
  if (c < 0 || isEquality)
    high = c > 0 ? *floorDivide(-k, c) : *floorDivide(k, -c);
  facts.setRange(terms[0].monomial, {low, high});
}

/// The inequality without its quotient: x // d + rest >= 0 is x + d * rest >= 0 for d >= 1, and
/// rest - x // d >= 0 is d * (rest + 1) - 1 - x >= 0. Null when there is no quotient to remove.
static Pred withoutQuotient(const Facts &facts, Expr expr) {
  for (Term term : expr.getTerms()) {
    bool unit = term.coefficient == 1 || term.coefficient == -1;
    if (!unit || term.monomial.getKind() != ExprKind::FloorDiv)
      continue;
    Expr x = term.monomial.getOperands()[0], d = term.monomial.getOperands()[1];
    Range range = facts.range(d);
    bool isPositive =
        (range.lo && *range.lo >= 1) || llvm::is_contained(facts.getAssumptions(), ge(d, 1));
    if (!isPositive)
      continue;
    Expr rest = expr - term.monomial * term.coefficient;
    return ge(term.coefficient == 1 ? x + d * rest : d * (rest + 1) - 1 - x, 0);
  }
  return {};
}

/// A multiple of 6 that is at least 7 is at least 12, and its sixth 2.
static void assumeLeastMultiple(Facts &facts, Expr multiple, int64_t divisor) {
  std::optional<int64_t> least = facts.range(multiple).lo;
  if (divisor < 2 || !least || *least < 0 || *least > (int64_t(1) << 32) || *least % divisor == 0)
    return;
  int64_t quotient = *least / divisor + 1;
  facts.assume(ge(multiple, quotient * divisor));
  facts.assume(ge(floordiv(multiple, multiple.getContext().constant(divisor)), quotient));
}

/// The expression that is odd where this is 0: a of a % 2 - 1. Null where there is none.
static Expr readOdd(Expr expr) {
  llvm::SmallVector<Term, 4> terms = expr.getTerms();
  if (terms.size() != 1 || terms[0].monomial.getKind() != ExprKind::Mod)
    return Expr();
  llvm::ArrayRef<Expr> operands = terms[0].monomial.getOperands();
  int64_t coefficient = terms[0].coefficient;
  bool isOne = std::abs(coefficient) == 1 && expr.getConstantTerm() == -coefficient;
  return isOne && operands[1].isConstant(2) ? operands[0] : Expr();
}

void Facts::assume(Pred pred) {
  switch (pred.getKind()) {
  case PredKind::True:
    return;
  case PredKind::And:
    for (Pred part : pred.getOperands())
      assume(part);
    return;
  case PredKind::NonNegative:
    addRangeOf(*this, pred.getExpr(), false);
    if (Pred plain = withoutQuotient(*this, pred.getExpr()))
      assume(plain);
    break;
  case PredKind::Zero:
    addRangeOf(*this, pred.getExpr(), true);
    if (Expr odd = readOdd(pred.getExpr()))
      assume(notOf(divisible(odd, 2)));
    break;
  // What is left of the division is something.
  case PredKind::NotDivisible:
    if (pred.getDivisor().getConstant().value_or(0) > 1)
      assume(
          ge(pred.getExpr() - floordiv(pred.getExpr(), pred.getDivisor()) * pred.getDivisor(), 1));
    break;
  case PredKind::Divisible:
    if (std::optional<int64_t> divisor = pred.getDivisor().getConstant()) {
      setDivisible(pred.getExpr(), *divisor);
      auto divisorOf = [&](Expr size) { return std::max<int64_t>(divisors.lookup(size), 1); };
      if (auto multiple = readMultiple(pred, divisorOf))
        setDivisible(multiple->size, multiple->divisor);
      assumeLeastMultiple(*this, pred.getExpr(), *divisor);
    }
    // What divides a number is no more than it.
    else if (pred.getExpr().getConstant().value_or(0) > 0) {
      assume(ge(pred.getExpr(), pred.getDivisor()));
      assume(ge(floordiv(pred.getExpr(), pred.getDivisor()), 1));
    }
    break;
  default:
    break;
  }
  if (llvm::is_contained(assumptions, pred))
    return;
  assumptions.push_back(pred);
  hasFreshSamples = false;
}

bool Facts::holdAt(const llvm::DenseMap<Expr, int64_t> &point) const {
  auto holds = [&](Pred pred) { return evaluate(pred, point) == true; };
  return llvm::all_of(assumptions, holds) &&
         llvm::all_of(ranges,
                      [&](const auto &known) {
                        std::optional<int64_t> value = evaluate(known.first, point);
                        return value && known.second.contains(*value);
                      }) &&
         llvm::all_of(divisors, [&](const auto &known) {
           std::optional<int64_t> value = evaluate(known.first, point);
           return value && *value % known.second == 0;
         });
}

bool Facts::isNegativeSomewhere(Expr expr, bool looks) const {
  auto isNegative = [&](const SamplePoints::Point &point) {
    std::optional<int64_t> value = evaluate(expr, point);
    return value && *value < 0 && (hasFreshSamples || holdAt(point));
  };
  if (samples && llvm::any_of(samples->getPoints(), isNegative))
    return true;
  if (hasFreshSamples || !looks)
    return false;
  samples = std::make_shared<SamplePoints>(ranges, divisors, assumptions, samples.get());
  hasFreshSamples = true;
  return llvm::any_of(samples->getPoints(), isNegative);
}

Facts Facts::substituted(const llvm::DenseMap<Expr, Expr> &replacements) const {
  Facts result(*context);
  auto replace = [&](Expr atom) { return replacements.lookup(atom); };
  Substitution substitution(replace);
  // In an order that does not depend on addresses.
  llvm::SmallVector<std::pair<Expr, Range>> known(ranges.begin(), ranges.end());
  llvm::sort(known, [](const auto &a, const auto &b) { return a.first < b.first; });
  for (auto [atom, range] : known) {
    Expr next = substitution.run(atom);
    if (next == atom) {
      result.setRange(atom, range);
      continue;
    }
    if (range.lo)
      result.assume(ge(next, *range.lo));
    if (range.hi)
      result.assume(le(next, *range.hi));
  }
  for (auto [atom, divisor] : divisors)
    result.setDivisible(substitution.run(atom), divisor);
  for (Pred pred : assumptions)
    result.assume(substitution.run(pred));
  return result;
}

Facts Facts::about(llvm::DenseSet<Expr> symbols) const {
  auto speaks = [&](auto known) {
    bool isReached = false, hasSymbols = false;
    forEachSymbol(known, [&](Expr symbol) {
      hasSymbols = true;
      isReached |= symbols.contains(symbol);
    });
    return isReached || !hasSymbols;
  };
  auto reach = [&](auto known) {
    if (speaks(known))
      forEachSymbol(known, [&](Expr symbol) { symbols.insert(symbol); });
  };
  for (size_t before = ~size_t(0); before != symbols.size();) {
    before = symbols.size();
    for (auto &[atom, range] : ranges)
      reach(atom);
    llvm::for_each(assumptions, reach);
  }
  Facts result(*context);
  for (auto &[atom, range] : ranges)
    if (speaks(atom))
      result.ranges[atom] = range;
  for (auto &[atom, divisor] : divisors)
    if (speaks(atom))
      result.divisors[atom] = divisor;
  llvm::copy_if(assumptions, std::back_inserter(result.assumptions), speaks);
  llvm::copy_if(boundedProducts, std::back_inserter(result.boundedProducts), speaks);
  return result;
}

/// The greatest x >= 0 with x to the power <= limit; -1 when there is none.
static int64_t rootOf(int64_t limit, unsigned power) {
  if (limit < 0 || power == 1)
    return std::max<int64_t>(limit, -1);
  auto isWithin = [&](int64_t x) {
    int64_t product = 1;
    for (unsigned i = 0; i < power; ++i) {
      std::optional<int64_t> next = checkedMultiply(product, x);
      if (!next || *next > limit)
        return false;
      product = *next;
    }
    return true;
  };
  int64_t low = 0, high = int64_t(1) << 32;
  while (high - low > 1) {
    int64_t middle = low + (high - low) / 2;
    (isWithin(middle) ? low : high) = middle;
  }
  return low;
}

/// The upper end of `expr` that follows from one of a product that it divides: x <= x * y for
/// x >= 0 and y >= 1, and x is no more than the root of x * x * y.
Range Facts::rangeWithinProducts(Expr expr) const {
  if (auto asked = askedRanges.find(expr); asked != askedRanges.end())
    return asked->second;
  Range result = ranges.lookup(expr);
  auto isAtLeast = [&](Expr monomial, int64_t least) {
    return llvm::all_of(factorsOf(monomial), [&](Factor factor) {
      Range known = ranges.lookup(factor.atom);
      return known.lo && *known.lo >= least;
    });
  };
  for (Expr product : boundedProducts) {
    if (product == expr)
      continue;
    unsigned power = 0;
    Expr others = product;
    while (std::optional<Expr> rest = others ? divideMonomial(others, expr) : std::nullopt) {
      others = *rest;
      ++power;
    }
    if (power > 0 && isAtLeast(others, 1) && isAtLeast(expr, 0))
      result = result.intersect({std::nullopt, rootOf(*ranges.lookup(product).hi, power)});
  }
  askedRanges[expr] = result;
  return result;
}

Range Facts::range(Expr expr) const {
  return rangeOf(expr, [&](Expr atom) { return rangeWithinProducts(atom); }, &monomialRanges);
}

static int64_t multipleOfAtom(const Facts &facts, Expr atom) {
  switch (atom.getKind()) {
  case ExprKind::Mod:
  case ExprKind::Min:
  case ExprKind::Max: {
    int64_t common = 0;
    for (Expr operand : atom.getOperands())
      common = greatestCommonDivisor(common, facts.knownMultiple(operand));
    return common;
  }
  case ExprKind::FloorDiv: {
    // x // d for a multiple of d: what remains of x's divisor.
    std::optional<int64_t> divisor = atom.getOperands()[1].getConstant();
    int64_t multiple = facts.knownMultiple(atom.getOperands()[0]);
    return divisor && *divisor != 0 && multiple % *divisor == 0 && multiple != INT64_MIN
               ? std::abs(multiple / *divisor)
               : 1;
  }
  case ExprKind::NextPow2: {
    Range inner = facts.range(atom.getOperands()[0]);
    std::optional<int64_t> least =
        inner.lo && *inner.lo > 0 ? nextPowerOfTwo(*inner.lo) : std::nullopt;
    return least.value_or(1);
  }
  default:
    return 1;
  }
}

int64_t Facts::knownMultiple(Expr expr) const {
  if (std::optional<int64_t> value = expr.getConstant())
    return *value == INT64_MIN ? int64_t(1) << 62 : std::abs(*value);
  int64_t stated = std::max<int64_t>(divisors.lookup(expr), 1);
  if (expr.getKind() == ExprKind::Product) {
    int64_t result = 1;
    for (Factor factor : expr.getFactors()) {
      int64_t atom = knownMultiple(factor.atom);
      for (unsigned i = 0; i < factor.power; ++i)
        result = checkedMultiply(result, atom).value_or(result);
    }
    return std::max(result, stated);
  }
  if (expr.getKind() != ExprKind::Sum)
    return std::max(multipleOfAtom(*this, expr), stated);
  int64_t result = greatestCommonDivisor(expr.getConstantTerm(), 0);
  for (Term term : expr.getTerms()) {
    int64_t scale = greatestCommonDivisor(term.coefficient, 0);
    int64_t part = checkedMultiply(scale, knownMultiple(term.monomial)).value_or(scale);
    result = greatestCommonDivisor(result, part);
  }
  return std::max(result, stated);
}

Truth Facts::prove(Pred pred) const { return Prover(*this).prove(pred); }

bool Facts::isTrue(Pred pred) const {
  if (pred.getKind() != PredKind::NonNegative)
    return prove(pred) == Truth::True;
  Range range = this->range(pred.getExpr());
  return (range.lo && *range.lo >= 0) || llvm::is_contained(assumptions, pred) ||
         Prover(*this).isNonNegative(pred.getExpr());
}

} // namespace nereid::index
