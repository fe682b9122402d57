// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Floor division and modulo in canonical form. Every rule holds for all integers, negative ones
// too; the identities used are floor(k + x) = k + floor(x) for an integer k, floor(floor(x) / n) =
// floor(x / n) for n >= 1, and mod(a, b) = a - b * floordiv(a, b).
#include "index/RangeOf.h"
#include "index/Storage.h"

namespace nereid::index {

static Expr rebuild(Context &context, llvm::ArrayRef<Term> terms, int64_t constant) {
  LinearSum result(context);
  result.addConstant(constant);
  for (Term term : terms)
    result.addTerm(term.monomial, term.coefficient);
  return result.take();
}

/// Divides the coefficients, all of which `divisor` divides.
static Expr divideExactly(Context &context, llvm::ArrayRef<Term> terms, int64_t constant,
                          int64_t divisor) {
  LinearSum result(context);
  result.addConstant(constant);
  for (Term term : terms)
    result.addTerm(term.monomial, term.coefficient / divisor);
  return result.take();
}

static int64_t commonDivisor(llvm::ArrayRef<Term> terms, int64_t start) {
  for (Term term : terms)
    start = greatestCommonDivisor(start, term.coefficient);
  return start;
}

/// floordiv(floordiv(x, c) + k, d) = floordiv(x + k*c, c*d) for constants c, d >= 1; else null.
static Expr flattenedQuotient(llvm::ArrayRef<Term> terms, int64_t constant, int64_t divisor) {
  if (terms.size() != 1 || terms[0].coefficient != 1 ||
      terms[0].monomial.getKind() != ExprKind::FloorDiv)
    return {};
  llvm::ArrayRef<Expr> inner = terms[0].monomial.getOperands();
  std::optional<int64_t> c = inner[1].getConstant();
  if (!c || *c < 1)
    return {};
  std::optional<int64_t> shift = checkedMultiply(constant, *c);
  std::optional<int64_t> product = checkedMultiply(*c, divisor);
  if (!shift || !product)
    return {};
  return floordiv(inner[0] + *shift, *product);
}

/// A quotient of -a is written as minus the quotient of a, rounded the other way: one spelling for
/// `-(-n // 4)` and `(n + 3) // 4`.
static bool isAllNegative(llvm::ArrayRef<Term> terms) {
  return llvm::all_of(
      terms, [](Term term) { return term.coefficient < 0 && term.coefficient != INT64_MIN; });
}

static Expr floordivByConstant(Expr a, int64_t divisor) {
  Context &context = a.getContext();
  if (divisor == INT64_MIN || divisor == 0)
    return makeAtom(ExprKind::FloorDiv, {a, context.constant(divisor)});
  if (divisor < 0)
    return floordiv(-a, context.constant(-divisor));
  if (divisor == 1)
    return a;
  LinearSum whole(context);
  llvm::SmallVector<Term, 4> rest;
  for (Term term : a.getTerms()) {
    if (term.coefficient % divisor == 0)
      whole.addTerm(term.monomial, term.coefficient / divisor);
    else
      rest.push_back(term);
  }
  whole.addConstant(*floorDivide(a.getConstantTerm(), divisor));
  int64_t constant = *floorModulo(a.getConstantTerm(), divisor);
  if (rest.empty())
    return whole.take();
  int64_t common = commonDivisor(rest, divisor);
  Expr dividend = divideExactly(context, rest, constant / common, common);
  divisor /= common;
  rest = dividend.getTerms();
  constant = dividend.getConstantTerm();

  Expr quotient;
  if (Expr flat = flattenedQuotient(rest, constant, divisor)) {
    quotient = flat;
  } else if (isAllNegative(rest)) {
    quotient = -floordiv(rebuild(context, (-dividend).getTerms(), divisor - 1 - constant),
                         context.constant(divisor));
  } else {
    Range range = rangeOf(dividend, nullptr);
    std::optional<int64_t> low = range.lo ? floorDivide(*range.lo, divisor) : std::nullopt;
    std::optional<int64_t> high = range.hi ? floorDivide(*range.hi, divisor) : std::nullopt;
    quotient = low && low == high
                   ? context.constant(*low)
                   : makeAtom(ExprKind::FloorDiv, {dividend, context.constant(divisor)});
  }
  whole.add(quotient);
  return whole.take();
}

/// Replaces c * mod(x, m) by c * x where the difference is a multiple of `divisor`.
static Expr withoutInnerModulo(Expr a, int64_t divisor) {
  LinearSum result(a.getContext());
  result.addConstant(a.getConstantTerm());
  bool changed = false;
  for (Term term : a.getTerms()) {
    std::optional<int64_t> inner;
    if (term.monomial.getKind() == ExprKind::Mod)
      inner = term.monomial.getOperands()[1].getConstant();
    std::optional<int64_t> step = inner ? checkedMultiply(*inner, term.coefficient) : std::nullopt;
    if (step && *step % divisor == 0) {
      result.add(term.monomial.getOperands()[0], term.coefficient);
      changed = true;
    } else {
      result.addTerm(term.monomial, term.coefficient);
    }
  }
  return changed ? result.take() : Expr();
}

static Expr modByConstant(Expr a, int64_t divisor) {
  Context &context = a.getContext();
  if (divisor == INT64_MIN || divisor == 0)
    return makeAtom(ExprKind::Mod, {a, context.constant(divisor)});
  if (divisor < 0)
    return -mod(-a, context.constant(-divisor));
  if (divisor == 1)
    return context.constant(0);
  if (Expr simpler = withoutInnerModulo(a, divisor))
    return modByConstant(simpler, divisor);
  llvm::SmallVector<Term, 4> rest;
  for (Term term : a.getTerms())
    if (term.coefficient % divisor != 0)
      rest.push_back(term);
  int64_t constant = *floorModulo(a.getConstantTerm(), divisor);
  if (rest.empty())
    return context.constant(constant);
  // mod(g*x + g*k + c, g*d) = g * mod(x + k, d) + c for 0 <= c < g.
  int64_t common = commonDivisor(rest, divisor);
  Expr dividend = divideExactly(context, rest, constant / common, common);
  int64_t reduced = divisor / common;
  Range range = rangeOf(dividend, nullptr);
  bool inside = range.lo && range.hi && *range.lo >= 0 && *range.hi < reduced;
  Expr rem = inside ? dividend : makeAtom(ExprKind::Mod, {dividend, context.constant(reduced)});
  return rem * common + constant % common;
}

/// A divisor that is one term, coefficient * monomial with coefficient > 0.
static std::optional<Term> asSingleTerm(Expr divisor) {
  llvm::SmallVector<Term, 4> terms = divisor.getTerms();
  if (divisor.getConstantTerm() != 0 || terms.size() != 1 || terms[0].coefficient < 0)
    return std::nullopt;
  return terms[0];
}

namespace {
/// a = whole * divisor + rest, the terms of `whole` taken where they divide exactly.
struct Split {
  Expr whole;
  Expr rest;
};
} // namespace

/// Found term by term from the leading ones: (M * N*N - 2 * M*N + M) // (N - 1) is M * N - M.
Expr exactRatio(Expr a, Expr divisor) {
  constexpr unsigned maxRatioTerms = 8;
  if (divisor.isConstant()) {
    int64_t number = divisor.getConstantTerm();
    if (number == 0 || number == INT64_MIN)
      return {};
    Expr ratio = floordiv(number < 0 ? -a : a, std::abs(number));
    return ratio * number == a ? ratio : Expr();
  }
  Expr ratio = a.getContext().constant(0);
  Term lead = divisor.getTerms().front();
  for (unsigned round = 0; round < maxRatioTerms && !a.isConstant(); ++round) {
    Term first = a.getTerms().front();
    if (first.coefficient == INT64_MIN || lead.coefficient == INT64_MIN ||
        first.coefficient % lead.coefficient != 0)
      return {};
    std::optional<Expr> monomial = divideMonomial(first.monomial, lead.monomial);
    if (!monomial)
      return {};
    Expr part = a.getContext().constant(first.coefficient / lead.coefficient);
    if (*monomial)
      part = part * *monomial;
    ratio = ratio + part;
    a = a - part * divisor;
  }
  return a.isConstant(0) ? ratio : Expr();
}

Expr primitiveSum(Expr expr) {
  if (expr.getKind() != ExprKind::Sum)
    return {};
  if (expr.getConstantTerm() == 0 && expr.getTerms()[0].monomial.getKind() == ExprKind::Product)
    for (Factor factor : expr.getTerms()[0].monomial.getFactors())
      for (unsigned i = 0; i < factor.power; ++i) {
        Expr rest = floordiv(expr, factor.atom);
        if (rest * factor.atom != expr)
          break;
        expr = rest;
      }
  int64_t common = commonDivisor(expr.getTerms(), std::abs(expr.getConstantTerm()));
  if (common > 1)
    expr = floordiv(expr, common);
  return expr.getKind() == ExprKind::Sum ? expr : Expr();
}

static Split splitMultiples(Expr a, Expr divisor) {
  Context &context = a.getContext();
  LinearSum whole(context), rest(context);
  rest.addConstant(a.getConstantTerm());
  std::optional<Term> single = asSingleTerm(divisor);
  for (Term term : a.getTerms()) {
    std::optional<Expr> quotient;
    if (single && term.coefficient % single->coefficient == 0)
      quotient = divideMonomial(term.monomial, single->monomial);
    if (quotient)
      whole.addTerm(*quotient, term.coefficient / single->coefficient);
    else
      rest.addTerm(term.monomial, term.coefficient);
  }
  Split split{whole.take(), rest.take()};
  if (single)
    return split;
  // A sum as the divisor: only an exact multiple of it is recognised.
  if (Expr ratio = exactRatio(a, divisor))
    return {ratio, context.constant(0)};
  return split;
}

namespace {
/// How many terms a sum has without a multiple of a divisor, at least.
class TermCount {
public:
  explicit TermCount(Expr sum) {
    for (Term term : sum.getTerms())
      coefficients[term.monomial] = term.coefficient;
  }

  size_t without(Expr divisor, Term ratio) const {
    size_t count = coefficients.size();
    bool mayJoin = false;
    auto take = [&](Expr monomial, int64_t coefficient) {
      auto found = coefficients.find(monomial);
      bool isNew = found == coefficients.end();
      if (!isNew && checkedMultiply(coefficient, ratio.coefficient) == found->second) {
        --count;
        return;
      }
      count += isNew;
      // A quotient and its remainder become the dividend.
      mayJoin |= hasKind(monomial, ExprKind::Mod) || hasKind(monomial, ExprKind::FloorDiv);
    };
    for (Term term : divisor.getTerms())
      take(ratio.monomial ? multiplyMonomials(term.monomial, ratio.monomial) : term.monomial,
           term.coefficient);
    if (ratio.monomial && divisor.getConstantTerm() != 0)
      take(ratio.monomial, divisor.getConstantTerm());
    return mayJoin ? 0 : count;
  }

private:
  llvm::DenseMap<Expr, int64_t> coefficients;
};
} // namespace

Expr takeMultiples(Expr &rest, Expr divisor, bool eager) {
  Expr whole = rest.getContext().constant(0);
  constexpr unsigned maxMultiples = 4;
  for (unsigned round = 0; round < maxMultiples; ++round) {
    Expr best, bestRest = rest;
    TermCount terms(rest);
    for (Term term : rest.getTerms())
      for (Term part : divisor.getTerms()) {
        std::optional<Expr> monomial = divideMonomial(term.monomial, part.monomial);
        if (!monomial || term.coefficient % part.coefficient != 0)
          continue;
        Term times{*monomial, term.coefficient / part.coefficient};
        size_t fewest = bestRest.getTerms().size() + (eager && !best && round == 0);
        if (terms.without(divisor, times) >= fewest)
          continue;
        Expr ratio = times.monomial ? times.monomial * times.coefficient
                                    : rest.getContext().constant(times.coefficient);
        Expr left = rest - ratio * divisor;
        size_t most = bestRest.getTerms().size();
        bool isFewer = left.getTerms().size() < most;
        if (isFewer || (eager && !best && round == 0 && left.getTerms().size() == most)) {
          best = ratio;
          bestRest = left;
        }
      }
    if (!best)
      break;
    whole = whole + best;
    rest = bestRest;
  }
  return whole;
}

/// The greatest coefficient * monomial that divides every term of both; the monomial null for 1.
static Term commonFactor(Expr a, Expr b) {
  llvm::SmallVector<Term, 4> terms = a.getTerms();
  terms.append(b.getTerms());
  bool constants = a.getConstantTerm() != 0 || b.getConstantTerm() != 0;
  int64_t number = greatestCommonDivisor(a.getConstantTerm(), b.getConstantTerm());
  llvm::SmallVector<Factor, 4> shared =
      constants ? llvm::SmallVector<Factor, 4>() : factorsOf(terms.front().monomial);
  for (Term term : terms) {
    number = greatestCommonDivisor(number, term.coefficient);
    llvm::SmallVector<Factor, 4> factors = factorsOf(term.monomial);
    for (Factor &factor : shared) {
      auto *found = llvm::find_if(factors, [&](Factor other) { return other.atom == factor.atom; });
      factor.power = found == factors.end() ? 0 : std::min(factor.power, found->power);
    }
  }
  Expr monomial;
  for (Factor factor : shared)
    for (unsigned i = 0; i < factor.power; ++i)
      monomial = multiplyMonomials(monomial, factor.atom);
  return {monomial, number};
}

static Expr divideBy(Expr expr, Term factor) {
  if (!factor.monomial && factor.coefficient == 1)
    return expr;
  LinearSum result(expr.getContext());
  result.addConstant(expr.getConstantTerm() / factor.coefficient);
  for (Term term : expr.getTerms())
    result.addTerm(factor.monomial ? *divideMonomial(term.monomial, factor.monomial)
                                   : term.monomial,
                   term.coefficient / factor.coefficient);
  return result.take();
}

/// Whether an expression is a sum of what is never negative, if symbols are not: no `-18 // N`.
static bool isSumOfSizes(Expr expr) {
  auto isSize = [](Expr atom) {
    return atom.isSymbol() ||
           (atom.getKind() == ExprKind::FloorDiv && llvm::all_of(atom.getOperands(), isSumOfSizes));
  };
  auto isOfSizes = [&](Expr monomial) {
    if (monomial.getKind() != ExprKind::Product)
      return isSize(monomial);
    return llvm::all_of(monomial.getFactors(), [&](Factor factor) { return isSize(factor.atom); });
  };
  return expr.getConstantTerm() >= 0 && llvm::all_of(expr.getTerms(), [&](const Term &term) {
           return term.coefficient > 0 && isOfSizes(term.monomial);
         });
}

/// Whether a divisor is minus a sum of sizes; dividend and divisor then change sign. Another sum
/// may itself be negative, and what is divided by minus it is divided by a positive number.
static bool isTurned(Expr divisor) {
  return divisor.getConstantTerm() <= 0 && divisor.getConstantTerm() != INT64_MIN &&
         isAllNegative(divisor.getTerms()) && isSumOfSizes(-divisor);
}

Expr floordiv(Expr a, Expr b) {
  if (std::optional<int64_t> divisor = b.getConstant())
    return floordivByConstant(a, *divisor);
  if (a.isConstant(0))
    return a;
  if (isTurned(b))
    return floordiv(-a, -b);
  auto [whole, rest] = splitMultiples(a, b);
  if (rest.isConstant(0))
    return whole;
  Term common = commonFactor(rest, b);
  if (common.monomial || common.coefficient != 1)
    return whole + floordiv(divideBy(rest, common), divideBy(b, common));
  // (e - 1) // b is written through the quotient of e + b - 1, the atom that ceildiv makes, so that
  // a product of two ceildivs stays a product of two atoms.
  std::optional<Term> single = asSingleTerm(b);
  bool sharesTerm = single && llvm::any_of(rest.getTerms(), [&](Term term) {
                      return term.monomial == single->monomial;
                    });
  if (rest.getConstantTerm() == -1 && single && !sharesTerm)
    return whole + makeAtom(ExprKind::FloorDiv, {rest + b, b}) - 1;
  return whole + makeAtom(ExprKind::FloorDiv, {rest, b});
}

Expr mod(Expr a, Expr b) {
  if (std::optional<int64_t> divisor = b.getConstant())
    return modByConstant(a, *divisor);
  if (a.isConstant(0))
    return a;
  if (isTurned(b))
    return -mod(-a, -b);
  Expr rest = splitMultiples(a, b).rest;
  if (rest.isConstant(0))
    return rest;
  Term common = commonFactor(rest, b);
  if (common.monomial || common.coefficient != 1) {
    Expr scale = a.getContext().constant(common.coefficient);
    if (common.monomial)
      scale = scale * common.monomial;
    return scale * mod(divideBy(rest, common), divideBy(b, common));
  }
  return makeAtom(ExprKind::Mod, {rest, b});
}

Expr ceildiv(Expr a, Expr b) {
  if (std::optional<int64_t> divisor = b.getConstant())
    if (*divisor < 0 && *divisor != INT64_MIN)
      return ceildiv(-a, b.getContext().constant(-*divisor));
  auto [whole, rest] = b.isConstant() ? Split{a - a, a} : splitMultiples(a, b);
  if (rest.isConstant(0))
    return whole;
  return whole + floordiv(rest + b - 1, b);
}

} // namespace nereid::index
