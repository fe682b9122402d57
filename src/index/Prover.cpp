// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "index/Prover.h"
#include "index/Factors.h"
#include "index/Storage.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

namespace nereid::index {

/// The search looks for short proofs first, then for longer ones.
static constexpr unsigned maxSearchDepth = 5;
static constexpr unsigned maxSteps = 150;
/// Most proofs are shorter than this; sample points are looked for where one is not.
static constexpr unsigned maxStepsUnsampled = 6;

Prover::Prover(const Facts &facts) : facts(facts) {
  for (Pred pred : facts.getAssumptions()) {
    // One term alone is a range, which is looked up where it is needed.
    if (pred.getKind() == PredKind::NonNegative && pred.getExpr().getTerms().size() > 1)
      assumed.push_back({pred.getExpr(), false});
    if (pred.getKind() == PredKind::Zero) {
      assumed.push_back({pred.getExpr(), true});
      assumed.push_back({-pred.getExpr(), true});
    }
  }
}

Truth Prover::prove(Pred pred) {
  if (pred.isTrue() || pred.isFalse())
    return pred.isTrue() ? Truth::True : Truth::False;
  if (llvm::is_contained(facts.getAssumptions(), pred))
    return Truth::True;
  bool isJoin = pred.getKind() == PredKind::And || pred.getKind() == PredKind::Or;
  if (!isJoin && llvm::is_contained(facts.getAssumptions(), notOf(pred)))
    return Truth::False;
  switch (pred.getKind()) {
  case PredKind::NonNegative:
    if (isNonNegative(pred.getExpr()))
      return Truth::True;
    return isNonNegative(-pred.getExpr() - 1) ? Truth::False : Truth::Unknown;
  case PredKind::Zero:
    return proveZero(pred.getExpr());
  case PredKind::Divisible:
    return proveDivisible(pred.getExpr(), pred.getDivisor());
  case PredKind::NonZero:
  case PredKind::NotDivisible: {
    Truth opposite = prove(notOf(pred));
    return opposite == Truth::Unknown ? opposite
           : opposite == Truth::True  ? Truth::False
                                      : Truth::True;
  }
  default:
    return proveJoin(pred);
  }
}

Truth Prover::proveJoin(Pred pred) {
  Truth opposite = pred.getKind() == PredKind::And ? Truth::False : Truth::True;
  Truth result = pred.getKind() == PredKind::And ? Truth::True : Truth::False;
  for (Pred part : pred.getOperands()) {
    Truth truth = prove(part);
    if (truth == opposite)
      return opposite;
    if (truth == Truth::Unknown)
      result = Truth::Unknown;
  }
  return result;
}

Truth Prover::proveZero(Expr expr) {
  if (isNonNegative(expr)) {
    if (isNonNegative(-expr))
      return Truth::True;
    if (isNonNegative(expr - 1))
      return Truth::False;
  }
  if (isNonNegative(-expr - 1))
    return Truth::False;
  // A number that divides all terms but not the constant leaves no zero.
  int64_t common = facts.knownMultiple(expr - expr.getConstantTerm());
  if (common > 1 && expr.getConstantTerm() % common != 0)
    return Truth::False;
  return Truth::Unknown;
}

Truth Prover::proveDivisible(Expr expr, Expr divisor) {
  std::optional<int64_t> number = divisor.getConstant();
  if (!number || *number == 0 || *number == INT64_MIN)
    return Truth::Unknown;
  if (facts.knownMultiple(expr) % *number == 0)
    return Truth::True;
  int64_t common =
      greatestCommonDivisor(facts.knownMultiple(expr - expr.getConstantTerm()), *number);
  if (common > 1 && expr.getConstantTerm() % common != 0)
    return Truth::False;
  Range range = facts.range(expr);
  if (range.lo && range.hi && *range.lo > 0 && *range.hi < std::abs(*number))
    return Truth::False;
  return Truth::Unknown;
}

bool Prover::isAtLeast(Expr expr, int64_t value) const {
  Range range = facts.range(expr);
  return range.lo && *range.lo >= value;
}

bool Prover::isPositive(Expr divisor) const {
  return isAtLeast(divisor, 1) || llvm::is_contained(facts.getAssumptions(), ge(divisor, 1));
}

/// What is known to be a multiple of g beside its constant c is >= 0 where c may be more: the next
/// multiple below 0 is -g.
Expr Prover::loosened(Expr goal) const {
  int64_t constant = goal.getConstantTerm(), multiple = facts.knownMultiple(goal - constant);
  if (multiple < 2 || multiple > INT32_MAX)
    return goal;
  return goal + (multiple - 1 - *floorModulo(constant, multiple));
}

bool Prover::isNonNegative(Expr expr) {
  budget = maxSteps;
  expr = loosened(expr);
  visited = 0;
  for (unsigned depth = 0; depth <= maxSearchDepth && budget != 0; ++depth) {
    failed.clear();
    reachedLimit = false;
    if (search(expr, depth))
      return true;
    if (!reachedLimit)
      break;
  }
  return isProductOfSums(expr);
}

/// (A + 3) * (B + 3) >= 1 where both are; written out it has no sign that tells.
bool Prover::isProductOfSums(Expr expr) const {
  if (degree(expr) < 2 || expr.getTerms().size() < 3 ||
      facts.isNegativeSomewhere(expr, /*looks=*/false))
    return false;
  Factored product = factorUpToConstant(expr);
  if (product.factors.size() < 2 || product.content < 1)
    return false;
  int64_t least = product.rest >= 0 ? 0 : 1;
  return product.rest >= -product.content && llvm::all_of(product.factors, [&](Expr factor) {
           return facts.isTrue(ge(factor, least));
         });
}

/// x // (b * c) times b or c alone is at most x, for x >= 0.
void Prover::addPartialDivisors(Expr quotient, llvm::SmallVectorImpl<Known> &out) const {
  Expr x = quotient.getOperands()[0], d = quotient.getOperands()[1];
  if (d.getKind() != ExprKind::Product || !isAtLeast(x, 0))
    return;
  for (Factor factor : d.getFactors()) {
    std::optional<Expr> others = divideMonomial(d, factor.atom);
    if (!others || !*others || !isAtLeast(factor.atom, 1) || !isAtLeast(*others, 1))
      continue;
    out.push_back({x - factor.atom * quotient, false});
    out.push_back({x - *others * quotient, false});
  }
}

static Expr sumOf(llvm::ArrayRef<Expr> operands) {
  Expr sum = operands.front();
  for (Expr operand : operands.drop_front())
    sum = sum + operand;
  return sum;
}

void Prover::addFactsOf(Expr atom, llvm::SmallVectorImpl<Known> &out) const {
  llvm::ArrayRef<Expr> operands = atom.getOperands();
  Range range = facts.range(atom);
  if (range.lo && *range.lo != INT64_MIN)
    out.push_back({atom - *range.lo, false});
  if (range.hi)
    out.push_back({*range.hi - atom, false});
  switch (atom.getKind()) {
  case ExprKind::FloorDiv:
    if (isPositive(operands[1])) {
      // The remainder is a number where all but a constant is divided: (4*N + 3) // 4 is N.
      Expr least = operands[0].getContext().constant(0), most = operands[1] - 1;
      std::optional<int64_t> number = operands[1].getConstant();
      for (int64_t constant : {int64_t(0), operands[0].getConstantTerm()})
        if (number && facts.knownMultiple(operands[0] - constant) % *number == 0)
          least = most = operands[0].getContext().constant(*floorModulo(constant, *number));
      out.push_back({operands[0] - least - operands[1] * atom, false});
      out.push_back({operands[1] * atom + most - operands[0], false});
      addPartialDivisors(atom, out);
    }
    return;
  case ExprKind::Mod:
    if (isPositive(operands[1])) {
      out.push_back({operands[1] - 1 - atom, false});
      if (isAtLeast(operands[0], 0))
        out.push_back({operands[0] - atom, false});
    }
    return;
  case ExprKind::Min:
    for (Expr operand : operands)
      out.push_back({operand - atom, false});
    out.push_back({sumOf(operands) - atom * int64_t(operands.size()), false});
    return;
  case ExprKind::Max:
    for (Expr operand : operands)
      out.push_back({atom - operand, false});
    // At least their mean: max(i, -i) is never negative.
    out.push_back({atom * int64_t(operands.size()) - sumOf(operands), false});
    return;
  case ExprKind::NextPow2:
    out.push_back({atom - operands[0], false});
    if (isAtLeast(operands[0], 1))
      out.push_back({2 * operands[0] - 1 - atom, false});
    return;
  default:
    return;
  }
}

void Prover::addFactsOfParts(Expr goal, llvm::SmallVectorImpl<Known> &out) {
  llvm::SmallDenseSet<Expr, 8> seen;
  for (Term term : goal.getTerms())
    for (Factor factor : factorsOf(term.monomial)) {
      if (!seen.insert(factor.atom).second)
        continue;
      auto [found, isNew] = factsOfAtoms.try_emplace(factor.atom);
      if (isNew)
        addFactsOf(factor.atom, found->second);
      llvm::append_range(out, found->second);
    }
}

/// goal with the monomial of `term` replaced by `value`.
static Expr replaced(Expr goal, Term term, Expr value) {
  LinearSum result(goal.getContext());
  result.add(goal);
  result.addScaled(term.monomial, term.coefficient, -1);
  result.add(value, term.coefficient);
  return result.take();
}

/// A lower bound of c * min(..), c > 0, must hold for each operand; one of c * max(..) for any.
bool Prover::splitExtreme(Expr goal, unsigned depth, bool &decided) {
  for (Term term : goal.getTerms()) {
    ExprKind kind = term.monomial.getKind();
    bool isLeast = (kind == ExprKind::Min && term.coefficient > 0) ||
                   (kind == ExprKind::Max && term.coefficient < 0);
    if (!isLeast)
      continue;
    decided = true;
    return llvm::all_of(term.monomial.getOperands(), [&](Expr operand) {
      return search(replaced(goal, term, operand), depth - 1);
    });
  }
  return false;
}

/// rest - x // d >= 0 is the same as d * (rest + 1) - 1 - x >= 0, and rest + x // d >= 0 the same
/// as x + d * rest >= 0, for d >= 1: no rounding is left.
bool Prover::unfoldQuotient(Expr goal, unsigned depth) {
  for (Term term : goal.getTerms()) {
    bool unit = term.coefficient == 1 || term.coefficient == -1;
    if (!unit || term.monomial.getKind() != ExprKind::FloorDiv)
      continue;
    Expr x = term.monomial.getOperands()[0], d = term.monomial.getOperands()[1];
    if (!isPositive(d))
      continue;
    Expr rest = replaced(goal, term, x.getContext().constant(0));
    Expr next = term.coefficient == 1 ? x + d * rest : d * (rest + 1) - 1 - x;
    if (search(loosened(next), depth - 1))
      return true;
  }
  return false;
}

bool Prover::cancel(Expr goal, Term bad, const Known &known, unsigned depth) {
  llvm::SmallVector<Term, 4> terms = known.expr.getTerms();
  // The constant of e is its term of the monomial 1: (M - 1) * K >= 0 bounds K by M * K.
  terms.push_back({Expr(), known.expr.getConstantTerm()});
  unsigned goalDegree = degree(goal);
  for (Term term : terms) {
    bool sameSign = (term.coefficient > 0) == (bad.coefficient > 0) && term.coefficient != 0;
    if (!sameSign || term.coefficient == INT64_MIN || bad.coefficient == INT64_MIN)
      continue;
    std::optional<Expr> factor =
        term.monomial ? divideMonomial(bad.monomial, term.monomial) : std::optional(bad.monomial);
    if (!factor || (*factor && !known.isEquality && !isAtLeast(*factor, 0)))
      continue;
    // A product of a higher degree than the goal only leads away from it.
    if (*factor && degree(known.expr) + degree(*factor) > goalDegree)
      continue;
    Expr multiple = *factor ? known.expr * *factor : known.expr;
    int64_t d = std::abs(term.coefficient), c = std::abs(bad.coefficient);
    int64_t common = greatestCommonDivisor(c, d);
    LinearSum next(goal.getContext());
    next.add(goal, d / common);
    next.add(multiple, -(c / common));
    // Of a whole number: k * goal >= 1 - k says that it is not below 0.
    next.addConstant(d / common - 1);
    if (search(next.take(), depth - 1))
      return true;
  }
  return false;
}

bool Prover::search(Expr goal, unsigned depth) {
  if (budget == 0)
    return false;
  --budget;
  Range range = facts.range(goal);
  if (range.lo && *range.lo >= 0)
    return true;
  // Where it is below 0 everywhere there is no proof.
  if (goal.isConstant() || (range.hi && *range.hi < 0))
    return false;
  if (depth == 0) {
    reachedLimit = true;
    return false;
  }
  auto found = failed.find(goal);
  if (found != failed.end() && found->second >= depth)
    return false;
  ++visited;
  if (facts.isNegativeSomewhere(goal, visited > maxStepsUnsampled)) {
    failed[goal] = maxSearchDepth;
    return false;
  }
  bool decided = false;
  bool result = splitExtreme(goal, depth, decided) ||
                (!decided && (unfoldQuotient(goal, depth) || cancelAny(goal, depth)));
  if (!result)
    failed[goal] = depth;
  return result;
}

/// The terms whose removal brings a proof nearer: those that pull the lower end down, the furthest
/// first. Without any the constant does, and each other term may make up for it.
llvm::SmallVector<Term, 4> Prover::termsToCancel(Expr goal) const {
  llvm::SmallVector<std::pair<double, Term>, 4> pulls;
  llvm::SmallVector<Term, 4> terms = goal.getTerms();
  for (Term term : terms) {
    Range range = facts.range(term.monomial);
    std::optional<int64_t> end = term.coefficient > 0 ? range.lo : range.hi;
    // A term without a bound must go in any proof.
    if (!end)
      return {term};
    double pull = double(*end) * double(term.coefficient);
    if (pull < 0)
      pulls.push_back({pull, term});
  }
  if (pulls.empty())
    return terms;
  llvm::sort(pulls, [](const auto &a, const auto &b) {
    return a.first != b.first ? a.first < b.first
                              : compare(a.second.monomial, b.second.monomial) < 0;
  });
  constexpr size_t maxTried = 2;
  llvm::SmallVector<Term, 4> result;
  for (const auto &[pull, term] : llvm::ArrayRef(pulls).take_front(maxTried))
    result.push_back(term);
  return result;
}

bool Prover::cancelAny(Expr goal, unsigned depth) {
  llvm::SmallVector<Known> candidates = assumed;
  addFactsOfParts(goal, candidates);
  return llvm::any_of(termsToCancel(goal), [&](Term term) {
    return llvm::any_of(candidates,
                        [&](const Known &known) { return cancel(goal, term, known, depth); });
  });
}

} // namespace nereid::index
