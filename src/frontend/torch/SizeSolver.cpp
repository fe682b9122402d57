// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/torch/SizeSolver.h"

using namespace llvm;
using nereid::index::Truth;

namespace nereid::torch {

Expr SizeSolver::symbol(StringRef name) {
  Expr expr = context.symbol(name);
  if (is_contained(symbols, expr))
    return expr;
  symbols.push_back(expr);
  facts.setRange(expr, index::Range::atLeast(0));
  return expr;
}

Expr SizeSolver::reserve(StringRef name) {
  std::string free = name.str();
  while (isKnown(context.symbol(free)) || is_contained(reserved, context.symbol(free)))
    free += "_value";
  return reserved.emplace_back(context.symbol(free));
}

Expr SizeSolver::given(Expr number) {
  if (!isGiven(number))
    numbers.push_back(symbol(number.getName()));
  return number;
}

Expr SizeSolver::freshSymbol(unsigned axis, unsigned rank) {
  static constexpr StringLiteral names[] = {"N", "M N", "B M N", "B C M N"};
  SmallVector<StringRef> letters;
  if (rank <= 4)
    names[rank - 1].split(letters, ' ');
  std::string base = rank <= 4 ? letters[axis].str() : "N" + std::to_string(axis);
  std::string name = base;
  auto isTaken = [&](Expr symbol) { return isKnown(symbol) || is_contained(reserved, symbol); };
  for (unsigned number = 1; isTaken(context.symbol(name)); ++number)
    name = base + "_" + std::to_string(number);
  return symbol(name);
}

Expr SizeSolver::resolve(Expr expr) const {
  if (expr.isConstant())
    return expr;
  for (unsigned round = 0; round < 8; ++round) {
    Expr next = withoutRemainders(bound.empty() ? expr : index::substitute(expr, bound));
    if (!divisible.empty() || !odd.empty())
      next = foldDivisions(next);
    if (next == expr)
      break;
    expr = next;
  }
  return expr;
}

/// Whether a remainder is 0, however that is compared: -n % d <= 0 says that d divides n.
static Pred withoutRemainder(Pred pred) {
  if (pred.getKind() != index::PredKind::NonNegative)
    return pred;
  SmallVector<index::Term, 4> terms = pred.getExpr().getTerms();
  if (terms.size() != 1 || terms[0].monomial.getKind() != index::ExprKind::Mod)
    return pred;
  int64_t coefficient = terms[0].coefficient, rest = pred.getExpr().getConstantTerm();
  bool isZero = coefficient < 0 && rest == 0;
  bool isPositive = coefficient > 0 && rest < 0 && rest >= -coefficient;
  if (!isZero && !isPositive)
    return pred;
  Expr a = terms[0].monomial.getOperands()[0], d = terms[0].monomial.getOperands()[1];
  if (SmallVector<index::Term, 4> parts = a.getTerms(); !parts.empty() && parts[0].coefficient < 0)
    a = -a;
  return isZero ? index::divisible(a, d) : index::notOf(index::divisible(a, d));
}

Pred SizeSolver::resolve(Pred pred) const {
  for (unsigned round = 0; round < 8 && !bound.empty(); ++round) {
    Pred next = index::substitute(pred, bound);
    if (next == pred)
      break;
    pred = next;
  }
  return withoutRemainder(pred);
}

bool SizeSolver::bind(Expr symbol, Expr value) {
  if (index::contains(value, symbol))
    return false;
  if (isGiven(symbol))
    return value.isSymbol() && !isGiven(value) && bind(value, symbol);
  std::optional<int64_t> was = hint(symbol), now = hint(value);
  bool differ = was && now && *was != *now;
  if (differ && !(value.isSymbol() && firstHint(symbol) == firstHint(value)))
    return false;
  bound[symbol] = value;
  divideAnew(symbol);
  if (onMerge && value.isSymbol())
    onMerge(symbol, value);
  // Where an assumption changed one of two equal hints, the changed one is that of both.
  bool isKept = now && !(differ && firstHints.contains(symbol));
  if (was && value.isSymbol() && !isKept)
    hints[value] = *was;
  return true;
}

bool SizeSolver::unify(Expr a, Expr b) {
  a = resolve(a);
  b = resolve(b);
  if (a == b)
    return true;
  if (a.isConstant() && b.isConstant())
    return false;
  // The later symbol gives way, so that the first argument's names stay.
  if (a.isSymbol() && b.isSymbol()) {
    bool aFirst = find(symbols, a) < find(symbols, b);
    return aFirst ? bind(b, a) : bind(a, b);
  }
  // s == n // d, where d divides n, is n == s * d: no quotient is left.
  for (auto [symbol, quotient] : {std::pair(a, b), std::pair(b, a)})
    if (symbol.isSymbol() && quotient.getKind() == index::ExprKind::FloorDiv &&
        quotient.getOperands()[0].isSymbol() &&
        is_contained(divisible, std::pair(quotient.getOperands()[0], quotient.getOperands()[1])) &&
        bind(quotient.getOperands()[0], symbol * quotient.getOperands()[1]))
      return true;
  if (a.isSymbol() && !index::contains(b, a))
    return bind(a, b);
  if (b.isSymbol() && !index::contains(a, b))
    return bind(b, a);
  // c * s + rest == 0 with a constant c that divides the rest gives s.
  Expr difference = a - b;
  for (Expr symbol : reverse(symbols)) {
    if (!index::contains(difference, symbol))
      continue;
    std::optional<index::LinearIn> linear = index::asLinearIn(difference, symbol);
    std::optional<int64_t> factor =
        linear ? linear->coefficient.getConstant() : std::optional<int64_t>();
    if (!factor || *factor == 0)
      continue;
    Expr quotient = index::floordiv(-linear->rest, *factor);
    if (quotient * *factor == -linear->rest && bind(symbol, quotient))
      return true;
  }
  return unifyAlike(a, b) || unifyByDivision(a, b);
}

/// Pieces of two sizes that are the same but for their symbols, `cdiv(N, 3)` and `cdiv(M, 3)`: the
/// sizes are one, if they are so typically.
bool SizeSolver::unifyAlike(Expr a, Expr b) {
  for (Expr one : symbols)
    for (Expr other : symbols)
      if (one != other && index::contains(a, one) && index::contains(b, other) &&
          firstHint(one) == firstHint(other) &&
          index::substitute(a, DenseMap<Expr, Expr>({{one, other}})) == b)
        return unify(one, other);
  return false;
}

Truth SizeSolver::truth(Pred pred) const {
  pred = resolve(pred);
  if (pred.isTrue() || pred.isFalse())
    return pred.isTrue() ? Truth::True : Truth::False;
  if (pred.getKind() == index::PredKind::Zero || pred.getKind() == index::PredKind::NonZero) {
    Expr expr = resolve(pred.getExpr());
    if (std::optional<int64_t> value = expr.getConstant())
      return (*value == 0) == (pred.getKind() == index::PredKind::Zero) ? Truth::True
                                                                        : Truth::False;
  }
  if (!isOfTurns(pred))
    return facts.prove(pred);
  // That there is a turn is known of what is asked of it only: a loop may make none.
  index::Facts within = facts;
  auto assumeTurn = [&](Expr symbol, auto &assume) -> void {
    for (auto [turn, count] : turns)
      if (turn == symbol) {
        Expr number = resolve(count);
        within.setRange(turn, index::Range::atLeast(0));
        within.assume(index::lt(turn, number));
        // How many turns an inner loop makes may depend on the turn of the outer one.
        index::forEachSymbol(index::ge(number, 1), [&](Expr inner) { assume(inner, assume); });
      }
  };
  index::forEachSymbol(pred, [&](Expr symbol) { assumeTurn(symbol, assumeTurn); });
  return within.prove(pred);
}

Truth SizeSolver::truthOrDenial(Pred pred) const {
  Truth known = truth(pred);
  if (known != Truth::Unknown)
    return known;
  Truth denial = truth(index::notOf(pred));
  return denial == Truth::True    ? Truth::False
         : denial == Truth::False ? Truth::True
                                  : Truth::Unknown;
}

/// That m divides (m * n) // d, where d divides m * n, says that d divides n.
Pred SizeSolver::withoutQuotient(Pred pred) const {
  if (pred.getKind() != index::PredKind::Divisible ||
      pred.getExpr().getKind() != index::ExprKind::FloorDiv)
    return pred;
  Expr dividend = pred.getExpr().getOperands()[0], divisor = pred.getExpr().getOperands()[1];
  Expr rest = index::floordiv(dividend, pred.getDivisor());
  bool isWhole =
      is_contained(divisible, std::pair(dividend, divisor)) && rest * pred.getDivisor() == dividend;
  return isWhole ? index::divisible(rest, divisor) : pred;
}

bool SizeSolver::require(Pred pred, StringRef message) {
  Truth known = truth(pred);
  if (known != Truth::Unknown)
    return known == Truth::True;
  pred = withoutQuotient(resolve(pred));
  auto open = differing;
  if (differs(pred)) {
    differing = open;
    return requireInTurns(pred, message);
  }
  std::optional<bool> typical = index::evaluate(pred, [&](Expr symbol) { return hint(symbol); });
  if (typical && !*typical)
    return false;
  checks.push_back({pred, message.str()});
  learn(pred);
  return true;
}

void SizeSolver::learn(Pred pred) {
  facts.assume(pred);
  if (pred.getKind() == index::PredKind::Divisible)
    if (pred.getDivisor().isConstant())
      divisible.push_back({pred.getExpr(), pred.getDivisor()});
  bool mayBeOdd =
      pred.getKind() == index::PredKind::NotDivisible || pred.getKind() == index::PredKind::Zero;
  if (mayBeOdd)
    index::forEachSymbol(pred, [&](Expr size) {
      if (!is_contained(odd, size) && facts.prove(index::divisible(size, 2)) == Truth::False)
        odd.push_back(size);
    });
  // What is left of a division on either side: n + -n % d is d * ceil(n / d).
  if (pred.getKind() == index::PredKind::NotDivisible) {
    Expr a = pred.getExpr(), d = pred.getDivisor();
    facts.assume(index::ge(a - index::floordiv(a, d) * d, 1));
    facts.assume(index::ge(index::ceildiv(a, d) * d - a, 1));
  }
  bindBetween(pred);
}

/// N >= 4 and N <= 4 make N the number 4.
void SizeSolver::bindBetween(Pred pred) {
  SmallVector<Expr> mentioned;
  index::forEachSymbol(pred, [&](Expr symbol) { mentioned.push_back(symbol); });
  if (mentioned.size() != 1 || !isKnown(mentioned.front()) || bound.contains(mentioned.front()))
    return;
  std::optional<int64_t> typical = hint(mentioned.front());
  if (typical && facts.prove(index::eq(mentioned.front(), *typical)) == Truth::True)
    bind(mentioned.front(), context.constant(*typical));
}

Expr SizeSolver::flag(StringRef name) {
  Expr expr = context.symbol(name);
  facts.setRange(expr, index::Range::of(0, 1));
  return expr;
}

void SizeSolver::assume(Pred pred) {
  pred = resolve(pred);
  if (pred.getKind() == index::PredKind::And) {
    for (Pred part : pred.getOperands())
      assume(part);
    return;
  }
  adaptHints(pred);
  assumed.push_back(pred);
  if (pred.getKind() == index::PredKind::Zero)
    unify(pred.getExpr(), context.constant(0));
  learn(pred);
}

bool SizeSolver::decide(Pred pred, StringRef message) {
  if (truth(pred) == Truth::Unknown && differs(pred))
    return false;
  if (require(pred, message))
    return true;
  if (truth(pred) == Truth::Unknown)
    require(index::notOf(resolve(pred)), message);
  return false;
}

bool SizeSolver::decideSign(Expr number, StringRef message, bool zeroToo) {
  Pred isLess = zeroToo ? index::le(number, 0) : index::lt(number, 0);
  bool isOpen = truth(index::ge(number, 0)) == Truth::Unknown;
  std::string expected =
      resolve(number).str() + " is expected to be " + (zeroToo ? "at most 0" : "negative");
  if (isOpen && typical(number).value_or(0) < 0 && !differs(isLess) && require(isLess, expected))
    return false;
  return decide(index::ge(number, 0), message);
}

SmallVector<std::pair<Expr, std::optional<int64_t>>> SizeSolver::getSymbols() const {
  SmallVector<std::pair<Expr, std::optional<int64_t>>> left;
  for (Expr symbol : symbols)
    if (!bound.contains(symbol))
      left.push_back({symbol, hint(symbol)});
  return left;
}

} // namespace nereid::torch
