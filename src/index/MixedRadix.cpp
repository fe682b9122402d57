// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rules hold for all integers, dividends below 0 too: for d >= 1, x = d * (x // d) + x % d with
// 0 <= x % d < d, and for r >= 1, x // d = r * (x // (d*r)) + x // d % r with 0 <= x // d % r < r.
#include "index/MixedRadix.h"
#include "index/Storage.h"

#include "llvm/ADT/STLExtras.h"

namespace nereid::index {

/// A number is taken apart, its digits perhaps in turn: views of views are rarely deeper.
static constexpr unsigned maxRounds = 8;

static bool hasDivision(Expr expr) {
  return hasKind(expr, ExprKind::FloorDiv) || hasKind(expr, ExprKind::Mod);
}
static bool hasDivision(Pred pred) {
  return (pred.getKind() == PredKind::NonNegative || pred.getKind() == PredKind::Zero) &&
         hasDivision(pred.getExpr());
}

MixedRadix::MixedRadix(const Facts &facts, llvm::ArrayRef<Expr> exprs,
                       std::function<bool(Expr)> isVarying)
    : facts(facts), isVarying(std::move(isVarying)) {
  bool divides = llvm::any_of(exprs, [](Expr expr) { return hasDivision(expr); }) ||
                 llvm::any_of(facts.getAssumptions(), [](Pred pred) { return hasDivision(pred); });
  if (!divides)
    return;
  llvm::copy_if(exprs, std::back_inserter(work), [](Expr expr) { return hasDivision(expr); });
  facts.simplifyAll(work);
  divideExactly();
  for (unsigned round = 0; round < maxRounds; ++round) {
    while (solveDigit())
      continue;
    llvm::SmallVector<Dividend> dividends;
    for (Expr expr : work)
      collect(expr, dividends);
    for (Pred pred : this->facts.getAssumptions())
      if (hasDivision(pred))
        collect(pred.getExpr(), dividends);
    if (llvm::none_of(dividends, [&](const Dividend &dividend) { return takeApart(dividend); }))
      break;
  }
}

/// Whether an expression varies.
bool MixedRadix::isTaken(Expr expr) const {
  bool varies = false;
  forEachSymbol(expr, [&](Expr symbol) { varies |= isVarying(symbol); });
  return varies;
}

/// Whether an expression holds a quotient or remainder that varies.
bool MixedRadix::dividesTaken(Expr expr) const {
  if (!hasDivision(expr) || !isTaken(expr))
    return false;
  auto holds = [&](Expr atom) {
    bool isDivision = atom.getKind() == ExprKind::FloorDiv || atom.getKind() == ExprKind::Mod;
    return (isDivision && isTaken(atom)) ||
           llvm::any_of(atom.getOperands(), [&](Expr operand) { return dividesTaken(operand); });
  };
  return llvm::any_of(expr.getTerms(), [&](Term term) {
    return llvm::any_of(factorsOf(term.monomial),
                        [&](Factor factor) { return holds(factor.atom); });
  });
}

/// The dividends that are not made of further quotients, and all that divides them.
void MixedRadix::collect(Expr expr, llvm::SmallVectorImpl<Dividend> &out) const {
  if (!hasDivision(expr))
    return;
  auto visit = [&](Expr atom) {
    bool isDivision = atom.getKind() == ExprKind::FloorDiv || atom.getKind() == ExprKind::Mod;
    bool isInner = isDivision && llvm::none_of(atom.getOperands(),
                                               [&](Expr operand) { return dividesTaken(operand); });
    if (!isInner) {
      for (Expr operand : atom.getOperands())
        collect(operand, out);
      return;
    }
    Expr x = atom.getOperands()[0], d = atom.getOperands()[1];
    if (!isTaken(x) || isTaken(d))
      return;
    auto *found = llvm::find_if(out, [&](const Dividend &other) { return other.expr == x; });
    Dividend &dividend = found == out.end() ? out.emplace_back(Dividend{x, {}}) : *found;
    if (!llvm::is_contained(dividend.divisors, d))
      dividend.divisors.push_back(d);
  };
  for (Term term : expr.getTerms())
    for (Factor factor : factorsOf(term.monomial))
      visit(factor.atom);
}

/// Divisors each of which divides the next, all known to be >= 1, and their ratios too.
llvm::SmallVector<Expr, 4> MixedRadix::chainOf(llvm::SmallVector<Expr, 4> divisors) const {
  llvm::stable_sort(divisors, [](Expr a, Expr b) {
    unsigned left = degree(a), right = degree(b);
    if (left != right || left == 0)
      return left != right ? left < right : *a.getConstant() < *b.getConstant();
    return compare(a, b) < 0;
  });
  llvm::SmallVector<Expr, 4> chain;
  for (Expr divisor : divisors) {
    Expr ratio = chain.empty() ? divisor : floordiv(divisor, chain.back());
    if (!chain.empty() && ratio * chain.back() != divisor)
      continue;
    if (facts.isTrue(ge(ratio, 1)))
      chain.push_back(divisor);
  }
  return chain;
}

/// The symbol for which x = +-symbol + rest is solved, with its coefficient.
static std::optional<Term> unknownOf(Expr x, llvm::function_ref<bool(Expr)> isVarying) {
  std::optional<Term> best;
  for (Term term : x.getTerms()) {
    bool isUnit = term.coefficient == 1 || term.coefficient == -1;
    if (isUnit && term.monomial.isSymbol() && isVarying(term.monomial) &&
        !contains(x - term.monomial * term.coefficient, term.monomial))
      if (!best || compare(best->monomial, term.monomial) > 0)
        best = term;
  }
  return best;
}

/// What is at least 0 where an expression is: with each of the operands in place of a minimum that
/// it adds.
static llvm::SmallVector<Expr, 3> withoutMinimum(Expr expr) {
  llvm::SmallVector<Expr, 3> results;
  for (Term term : expr.getTerms())
    if (term.coefficient == 1 && term.monomial.getKind() == ExprKind::Min && results.empty())
      for (Expr operand : term.monomial.getOperands())
        results.push_back(expr - term.monomial + operand);
  if (results.empty())
    results.push_back(expr);
  return results;
}

/// The range of x // d; `bounds` gets what an assumption says of it: x <= k * d - 1 says x // d <=
/// k - 1 (k, true), and x >= k * d says x // d >= k (k, false).
Range MixedRadix::rangeOfTop(Expr x, Expr d,
                             llvm::SmallVectorImpl<std::pair<Expr, bool>> &bounds) const {
  // An assumption may speak of x in longer words than x does by now.
  for (bool simplifies : {false, true})
    if (bounds.empty())
      addBoundsOfTop(x, d, simplifies, bounds);
  // What is a sum of digits is at most the sum of their bounds.
  bool hasUpper = llvm::any_of(bounds, [](auto &bound) { return bound.second; });
  if (Expr most = hasUpper ? x : -leastOf(-x); most != x) {
    Expr top = facts.simplify(floordiv(most, d));
    if (!hasDivision(top))
      bounds.push_back({top + 1, true});
  }
  Range range = facts.range(floordiv(x, d));
  if (facts.isTrue(ge(x, 0)))
    range = range.intersect(Range::atLeast(0));
  return range;
}

void MixedRadix::addBoundsOfTop(Expr x, Expr d, bool simplifies,
                                llvm::SmallVectorImpl<std::pair<Expr, bool>> &bounds) const {
  struct Candidate {
    size_t terms; // of the assumption
    bool isUpper;
  };
  llvm::SmallVector<Candidate> candidates;
  llvm::SmallVector<Expr> found;
  for (Pred pred : facts.getAssumptions()) {
    if (pred.getKind() != PredKind::NonNegative)
      continue;
    for (Expr known : withoutMinimum(pred.getExpr()))
      for (bool isUpper : {true, false}) {
        Expr bound = isUpper ? known + x + 1 : x - known;
        size_t terms = known.getTerms().size(), most = terms;
        if (simplifies)
          most += x.getTerms().size();
        // The assumption speaks of x as a whole, if of x at all.
        if (bound.getTerms().size() >= most)
          continue;
        candidates.push_back({terms, isUpper});
        found.push_back(bound);
      }
  }
  // All at once: they are made of the same quotients.
  if (simplifies)
    facts.simplifyAll(found);
  for (auto [candidate, bound] : llvm::zip_equal(candidates, found)) {
    if (bound.getTerms().size() >= candidate.terms)
      continue;
    // What is known to be so many times d rounds nothing away either: B * N of which a check says
    // that 16 divides it.
    Expr k = floordiv(bound, d);
    if (k * d == bound || (d.isConstant() && facts.knownMultiple(bound) % *d.getConstant() == 0) ||
        llvm::is_contained(facts.getAssumptions(), eq(k * d, bound)))
      bounds.push_back({k, candidate.isUpper});
  }
}

/// Numbers `x` of which x == d * (x // d) is assumed are that many times another.
bool MixedRadix::divideExactly() {
  Replacements replacements;
  llvm::SmallVector<std::pair<Expr, Range>> ranges;
  for (Pred pred : facts.getAssumptions()) {
    if (pred.getKind() != PredKind::Zero)
      continue;
    for (Term term : pred.getExpr().getTerms()) {
      Expr quotient = term.monomial;
      if (quotient.getKind() != ExprKind::FloorDiv)
        continue;
      Expr x = quotient.getOperands()[0], d = quotient.getOperands()[1], whole = x - d * quotient;
      bool isExact = pred.getExpr() == whole || pred.getExpr() == -whole;
      if (!isExact || !x.isSymbol() || !d.isConstant() || replacements.contains(x))
        continue;
      Expr ratio = x.getContext().symbol(x.getName().str() + "/" + d.str());
      replacements[x] = ratio * d;
      replacements[quotient] = ratio;
      ratios[ratio] = quotient;
      ranges.push_back({ratio, facts.range(quotient)});
    }
  }
  if (replacements.empty())
    return false;
  replace(replacements, ranges, {});
  return true;
}

/// A digit of which two assumptions say that it is at most and at least the same is that.
bool MixedRadix::solveDigit() {
  for (Pred pred : facts.getAssumptions()) {
    if (pred.getKind() != PredKind::NonNegative ||
        !llvm::is_contained(facts.getAssumptions(), ge(-pred.getExpr(), 0)))
      continue;
    for (const Digit &digit : digits) {
      std::optional<LinearIn> linear = asLinearIn(pred.getExpr(), digit.symbol);
      if (!linear || !(linear->coefficient.isConstant(1) || linear->coefficient.isConstant(-1)))
        continue;
      Replacements replacements;
      replacements[digit.symbol] = -(linear->rest * linear->coefficient);
      replace(replacements, {}, {});
      return true;
    }
  }
  return false;
}

bool MixedRadix::takeApart(const Dividend &dividend) {
  Expr x = dividend.expr;
  Context &context = x.getContext();
  llvm::SmallVector<Expr, 4> chain = chainOf(dividend.divisors);
  if (chain.empty())
    return false;
  Expr origin = restore(x);
  dividends.push_back(origin);
  llvm::SmallVector<std::pair<Expr, bool>> bounds;
  llvm::SmallVector<std::pair<Expr, Range>> ranges;
  llvm::SmallVector<Pred> known;
  Range range = rangeOfTop(x, chain.back(), bounds);
  auto makeDigit = [&](Range range, Expr bound, Expr origin) {
    Expr symbol = context.symbol("$digit" + std::to_string(digits.size()));
    digits.push_back({symbol, range.lo && *range.lo >= 0, bound, origin});
    ranges.push_back({symbol, range});
    return symbol;
  };
  // From the widest divisor down: what remains of the quotient so far.
  Expr quotient = makeDigit(range, Expr(), floordiv(origin, restore(chain.back())));
  for (auto [k, isUpper] : bounds) {
    known.push_back(isUpper ? lt(quotient, k) : ge(quotient, k));
    if (isUpper)
      digits.back().bound = k;
  }
  Replacements replacements;
  replacements[makeAtom(ExprKind::FloorDiv, {x, chain.back()})] = quotient;
  for (size_t i = chain.size(); i-- > 0;) {
    Expr radix = i == 0 ? chain[0] : floordiv(chain[i], chain[i - 1]);
    std::optional<int64_t> most = facts.range(radix).hi;
    Expr place = i == 0 ? origin : floordiv(origin, restore(chain[i - 1]));
    Expr digit = makeDigit({0, most ? std::optional(*most - 1) : std::nullopt}, radix,
                           mod(place, restore(radix)));
    known.push_back(lt(digit, radix));
    quotient = quotient * radix + digit;
    if (i > 0)
      replacements[makeAtom(ExprKind::FloorDiv, {x, chain[i - 1]})] = quotient;
  }
  for (Expr divisor : chain)
    replacements[makeAtom(ExprKind::Mod, {x, divisor})] =
        quotient - divisor * replacements.lookup(makeAtom(ExprKind::FloorDiv, {x, divisor}));
  if (std::optional<Term> unknown = unknownOf(x, isVarying)) {
    Expr rest = x - unknown->monomial * unknown->coefficient;
    replacements[unknown->monomial] = (quotient - rest) * unknown->coefficient;
  } else {
    known.push_back(eq(x, quotient));
  }
  replace(replacements, ranges, known);
  return true;
}

void MixedRadix::replace(const Replacements &replacements,
                         llvm::ArrayRef<std::pair<Expr, Range>> ranges,
                         llvm::ArrayRef<Pred> known) {
  Facts next = facts.substituted(replacements);
  for (auto [symbol, range] : ranges)
    next.setRange(symbol, range);
  for (Pred pred : known)
    next.assume(pred);
  llvm::SmallVector<Pred> divided;
  llvm::copy_if(next.getAssumptions(), std::back_inserter(divided),
                [](Pred pred) { return hasDivision(pred); });
  llvm::SmallVector<Expr> simpler;
  for (Pred pred : divided)
    simpler.push_back(pred.getExpr());
  for (Expr expr : work)
    simpler.push_back(substitute(expr, replacements));
  next.simplifyAll(simpler);
  for (auto [pred, expr] : llvm::zip(divided, simpler))
    if (expr != pred.getExpr())
      next.assume(pred.getKind() == PredKind::Zero ? eq(expr, 0) : ge(expr, 0));
  facts = std::move(next);
  work.assign(simpler.begin() + divided.size(), simpler.end());
  llvm::erase_if(work, [](Expr expr) { return !hasDivision(expr); });
  steps.push_back(replacements);
}

Expr MixedRadix::leastOf(Expr expr) const {
  for (const Digit &digit : digits) {
    std::optional<LinearIn> linear = asLinearIn(expr, digit.symbol);
    if (!linear || linear->coefficient.isConstant(0))
      continue;
    Range slope = facts.range(linear->coefficient);
    if (digit.isNeverNegative && slope.lo && *slope.lo >= 0)
      expr = linear->rest;
    else if (digit.bound && slope.hi && *slope.hi <= 0)
      expr = linear->rest + linear->coefficient * (digit.bound - 1);
  }
  return expr;
}

bool MixedRadix::isTrue(Pred pred) const {
  if (pred.getKind() == PredKind::NonNegative)
    if (Expr least = leastOf(pred.getExpr()); least != pred.getExpr() && facts.isTrue(ge(least, 0)))
      return true;
  return facts.isTrue(pred);
}

Expr MixedRadix::rewrite(Expr expr) const {
  for (const Replacements &replacements : steps)
    expr = substitute(expr, replacements);
  return hasDivision(expr) ? facts.simplify(expr) : expr;
}

Expr MixedRadix::restore(Expr expr) const {
  Replacements origins(ratios);
  for (const Digit &digit : digits)
    origins[digit.symbol] = digit.origin;
  return substitute(expr, origins);
}

Pred MixedRadix::rewrite(Pred pred) const {
  if (pred.getKind() == PredKind::NonNegative)
    return ge(rewrite(pred.getExpr()), 0);
  return substitute(pred, [&](Expr atom) { return rewrite(atom); });
}

/// An expression with the digit of one term put together with what is above it; null where there is
/// nothing.
static Expr joinDigit(Expr expr, Term term, llvm::function_ref<bool(Expr)> isPositive) {
  llvm::SmallVector<Factor, 4> factors = factorsOf(term.monomial);
  auto place = llvm::find_if(factors, [](Factor factor) {
    return factor.atom.getKind() == ExprKind::Mod && factor.power == 1;
  });
  if (place == factors.end())
    return {};
  Expr x = place->atom.getOperands()[0], modulus = place->atom.getOperands()[1];
  if (x.getKind() != ExprKind::FloorDiv || !isPositive(modulus))
    return {};
  Expr number = x.getOperands()[0], unit = x.getOperands()[1];
  Expr scale = expr.getContext().constant(term.coefficient);
  for (auto [other, factor] : llvm::enumerate(factors))
    for (unsigned i = 0; other != size_t(place - factors.begin()) && i < factor.power; ++i)
      scale = scale * factor.atom;
  // What is above it must be there; what both are together may have more terms.
  Expr above = scale * modulus * floordiv(number, unit * modulus);
  bool isThere = !above.getTerms().empty() && llvm::all_of(above.getTerms(), [&](Term wanted) {
    return llvm::is_contained(expr.getTerms(), wanted);
  });
  return isThere ? expr - scale * place->atom - above + scale * x : Expr();
}

Expr joinDigits(Expr expr, llvm::function_ref<bool(Expr)> isPositive) {
  for (bool changes = true; changes;) {
    changes = false;
    for (Term term : expr.getTerms())
      if (Expr joined = joinDigit(expr, term, isPositive)) {
        expr = joined;
        changes = true;
        break;
      }
  }
  return expr;
}

} // namespace nereid::index
