// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sizes with quotients: what follows from axes that are cut into equal pieces, and when two sizes
// that look different can be made equal by a check of the call.
#include "frontend/torch/SizeSolver.h"

#include "llvm/ADT/SetVector.h"

#include <numeric>

using namespace llvm;

namespace nereid::torch {

static bool isQuotient(Expr expr) { return expr.getKind() == index::ExprKind::FloorDiv; }

static std::string messageOf(Expr dividend) {
  return "an axis of size " + dividend.str() + " is cut into equal pieces";
}

/// What is left of a term without one factor `quotient`; null when it has none.
static Expr withoutQuotient(const index::Term &term, Expr quotient) {
  Expr rest = quotient.getContext().constant(term.coefficient);
  if (term.monomial == quotient)
    return rest;
  if (term.monomial.getKind() != index::ExprKind::Product)
    return Expr();
  bool found = false;
  for (const index::Factor &factor : term.monomial.getFactors()) {
    unsigned power = factor.power;
    if (factor.atom == quotient) {
      found = true;
      --power;
    }
    while (power-- > 0)
      rest = rest * factor.atom;
  }
  return found ? rest : Expr();
}

/// Writes d * (a // d) as a - rest, where d divides that.
static Expr foldQuotient(Expr expr, Expr dividend, Expr divisor, int64_t rest = 0) {
  Expr quotient = index::floordiv(dividend, divisor);
  if (!isQuotient(quotient) || !index::contains(expr, quotient))
    return expr;
  index::Context &context = expr.getContext();
  Expr total = context.constant(expr.getConstantTerm()), together = context.constant(0);
  auto fold = [&](Expr factor) {
    Expr times = index::floordiv(factor, divisor);
    bool isWhole = times * divisor == factor;
    total = total + (isWhole ? times * (dividend - rest) : factor * quotient);
  };
  bool isSum = divisor.getTerms().size() + (divisor.getConstantTerm() != 0) > 1;
  for (const index::Term &term : expr.getTerms()) {
    Expr factor = withoutQuotient(term, quotient);
    if (!factor)
      total = total + term.monomial * term.coefficient;
    else if (isSum)
      together = together + factor;
    else
      fold(factor);
  }
  fold(together);
  return total;
}

/// Whether a quotient stands anywhere in an expression.
static bool isDivided(Expr size) {
  bool found = false;
  index::substitute(size, [&](Expr atom) {
    found |= isQuotient(atom);
    return atom;
  });
  return found;
}

/// Whether a sum with this symbol is divided in the expression: `(n + 1) // 2`.
static bool dividesSum(Expr expr, Expr symbol) {
  for (const index::Term &term : expr.getTerms())
    if (isQuotient(term.monomial) && index::contains(term.monomial.getOperands()[0], symbol) &&
        term.monomial.getOperands()[0] != symbol)
      return true;
  return false;
}

/// n + (-n) % d, what a pad makes a multiple of d, is d * ceil(n / d): remainders are written out
/// where that leaves fewer terms.
Expr SizeSolver::withoutRemainders(Expr expr) {
  for (const index::Term &term : expr.getTerms()) {
    if (term.monomial.getKind() != index::ExprKind::Mod)
      continue;
    Expr a = term.monomial.getOperands()[0], d = term.monomial.getOperands()[1];
    // In this order: a - d * (a // d) is a remainder again.
    Expr written = expr + (a - term.monomial) * term.coefficient;
    written = written - index::floordiv(a, d) * d * term.coefficient;
    if (written.getTerms().size() < expr.getTerms().size())
      return withoutRemainders(written);
    // n % 2 is -n % 2, so that n + n % 2 is 2 * ceil(n / 2).
    Expr rounded = expr + (index::ceildiv(a, d) * d - a - term.monomial) * term.coefficient;
    if (d.isConstant(2) && rounded.getTerms().size() < expr.getTerms().size())
      return withoutRemainders(rounded);
  }
  return expr;
}

/// a // 2 is 4 * (a // 8) where it is to be compared with eighths of a.
Expr SizeSolver::cutAlike(Expr expr) const {
  if (cut.empty())
    return expr;
  return index::substitute(expr, [&](Expr atom) -> Expr {
    std::optional<int64_t> divisor =
        isQuotient(atom) ? atom.getOperands()[1].getConstant() : std::optional<int64_t>();
    if (!divisor)
      return Expr();
    for (auto [dividend, pieces] : cut)
      if (atom.getOperands()[0] == dividend && *divisor < pieces && pieces % *divisor == 0)
        return index::floordiv(dividend, pieces) * (pieces / *divisor);
    return Expr();
  });
}

Expr SizeSolver::foldDivisions(Expr expr) const {
  expr = cutAlike(expr);
  // (a + c) // d is a // d + c // d, where d or a multiple of it divides a.
  expr = index::substitute(expr, [&](Expr atom) -> Expr {
    std::optional<int64_t> divisor =
        isQuotient(atom) ? atom.getOperands()[1].getConstant() : std::optional<int64_t>();
    for (auto [dividend, known] : divisible) {
      std::optional<int64_t> multiple = divisor ? known.getConstant() : std::nullopt;
      if (!multiple || *multiple % *divisor != 0)
        continue;
      std::optional<int64_t> rest = (atom.getOperands()[0] - dividend).getConstant();
      if (rest && *rest != 0)
        return index::floordiv(dividend, *divisor) +
               index::floordiv(context.constant(*rest), *divisor);
    }
    return Expr();
  });
  // The same of odd sizes: (a + 1) // 2 is a // 2 + 1.
  for (Expr size : odd)
    expr = index::substitute(expr, [&](Expr atom) -> Expr {
      if (!isQuotient(atom) || !atom.getOperands()[1].isConstant(2))
        return Expr();
      std::optional<int64_t> rest = (atom.getOperands()[0] - size).getConstant();
      return rest && *rest != 0
                 ? index::floordiv(size, 2) + index::floordiv(context.constant(*rest) + 1, 2)
                 : Expr();
    });
  // a - a // 2 is a // 2: beside its quotient, the dividend is written as d * (a // d). Within
  // other quotients of it, a // 3, it stays, or each would be written into the other without end.
  auto writeByQuotient = [&](Expr dividend, Expr whole) {
    expr = index::substitute(expr, [&](Expr atom) {
      bool isOfDividend = isQuotient(atom) && atom.getOperands()[0] == dividend;
      return isOfDividend ? atom : atom == dividend ? whole : Expr();
    });
  };
  for (auto [dividend, divisor] : divisible) {
    Expr quotient = index::floordiv(dividend, divisor);
    if (dividend.isSymbol() && divisor.isConstant() && isQuotient(quotient) &&
        (index::contains(expr, quotient) || dividesSum(expr, dividend)))
      writeByQuotient(dividend, quotient * divisor);
  }
  for (Expr size : odd)
    if (Expr half = index::floordiv(size, 2); isQuotient(half) && index::contains(expr, half))
      writeByQuotient(size, half * 2 + 1);
  for (auto [dividend, divisor] : divisible)
    expr = foldQuotient(expr, dividend, divisor);
  for (Expr size : odd)
    expr = foldQuotient(expr, size, context.constant(2), 1);
  return expr;
}

/// Whether two sizes are equal by what divides what; quotients of one axis are then cut alike.
bool SizeSolver::isEqualByDivision(Expr a, Expr b) {
  // Types are compared as they are written.
  auto isWrittenAlike = [&] { return resolve(a) == resolve(b); };
  auto isEqual = [&] { return isWrittenAlike() || resolve(a - b).isConstant(0); };
  if (isWrittenAlike())
    return true;
  bool isEqualUncut = isEqual();
  size_t before = cut.size();
  for (const index::Term &term : (a - b).getTerms()) {
    if (!isQuotient(term.monomial))
      continue;
    Expr axis = term.monomial.getOperands()[0];
    int64_t pieces = 1;
    for (auto [dividend, divisor] : divisible)
      if (dividend == axis && divisor.isConstant() && pieces < (int64_t(1) << 20))
        pieces = std::lcm(pieces, *divisor.getConstant());
    if (pieces > 1)
      cut.push_back({axis, pieces});
  }
  if (isWrittenAlike() || (!isEqualUncut && isEqual()))
    return true;
  cut.truncate(before);
  return isEqualUncut;
}

/// Whether two sizes are equal where these quotients are whole, which is required then.
bool SizeSolver::unifyByWhole(Expr a, Expr b, ArrayRef<Expr> quotients) {
  auto known = cut;
  size_t before = divisible.size();
  for (Expr quotient : quotients)
    divisible.push_back({quotient.getOperands()[0], quotient.getOperands()[1]});
  bool isEqual = isEqualByDivision(a, b);
  divisible.truncate(before);
  for (Expr quotient : quotients) {
    Expr dividend = quotient.getOperands()[0], divisor = quotient.getOperands()[1];
    if (!isEqual || !require(index::divisible(dividend, divisor), messageOf(dividend))) {
      cut = std::move(known);
      return false;
    }
  }
  // That a symbol divides an axis is used where it is needed only: reshapes keep the factors.
  // That 2 does may follow from 4, and is needed from now on.
  for (Expr quotient : quotients) {
    std::pair whole(quotient.getOperands()[0], quotient.getOperands()[1]);
    if (!is_contained(divisible, whole))
      divisible.push_back(whole);
  }
  return true;
}

/// That d divides m + n says that it divides n, where m turns out to be a multiple of d: quotients
/// are written so then.
void SizeSolver::divideAnew(Expr symbol) {
  for (auto [dividend, divisor] : SmallVector<std::pair<Expr, Expr>>(divisible)) {
    if (!index::contains(dividend, symbol) && !index::contains(divisor, symbol))
      continue;
    Expr by = index::substitute(divisor, bound);
    Expr quotient = index::floordiv(index::substitute(dividend, bound), by);
    for (const index::Term &term : quotient.getTerms()) {
      if (!isQuotient(term.monomial) || term.coefficient != 1)
        continue;
      std::pair rest(term.monomial.getOperands()[0], term.monomial.getOperands()[1]);
      if (!isDivided(quotient - term.monomial) && rest.second == by &&
          !is_contained(divisible, rest))
        divisible.push_back(rest);
    }
  }
}

bool SizeSolver::unifyByDivision(Expr a, Expr b) {
  llvm::SetVector<Expr> quotients;
  for (const index::Term &term : (a - b).getTerms()) {
    if (isQuotient(term.monomial))
      quotients.insert(term.monomial);
    else if (term.monomial.getKind() == index::ExprKind::Product)
      for (const index::Factor &factor : term.monomial.getFactors())
        if (isQuotient(factor.atom))
          quotients.insert(factor.atom);
  }
  for (Expr quotient : quotients)
    if (unifyByWhole(a, b, quotient))
      return true;
  if (quotients.size() > 1) {
    State before = save();
    if (unifyByWhole(a, b, quotients.getArrayRef()))
      return true;
    restore(std::move(before));
  }
  // n // d == b, where d is to divide n, is n == b * d.
  for (auto [quotient, other] : {std::pair(a, b), std::pair(b, a)}) {
    Expr divisor = isQuotient(quotient) ? quotient.getOperands()[1] : Expr();
    if (!divisor || !divisor.isConstant() || index::contains(other, quotient))
      continue;
    Expr dividend = quotient.getOperands()[0];
    State before = save();
    if (require(index::divisible(dividend, divisor), messageOf(dividend)) &&
        unify(dividend, other * divisor))
      return true;
    restore(std::move(before));
  }
  return false;
}

void SizeSolver::alignByHints(Expr part, Expr whole) {
  for (Expr symbol : index::collectSymbols(resolve(part))) {
    whole = resolve(whole);
    part = resolve(part);
    std::optional<int64_t> typical = firstHint(symbol);
    if (!typical || index::contains(whole, symbol))
      continue;
    for (Expr other : index::collectSymbols(whole))
      if (!index::contains(part, other) && firstHint(other) == typical && unify(other, symbol))
        break;
  }
}

/// How many sizes at the start of both, or at the end, have one typical product, up to a size of
/// -1.
static std::pair<size_t, size_t> firstGroup(const SizeSolver &solver, ArrayRef<Expr> from,
                                            ArrayRef<Expr> to, bool atEnd) {
  size_t i = 0, j = 0;
  std::optional<int64_t> left, right;
  auto take = [&](ArrayRef<Expr> sizes, size_t &count, std::optional<int64_t> &product) {
    if (count == sizes.size())
      return false;
    Expr next = atEnd ? sizes[sizes.size() - 1 - count] : sizes[count];
    if (next.isConstant(-1))
      return false;
    ++count;
    std::optional<int64_t> size = solver.typical(next);
    product = size ? std::optional(product.value_or(1) * *size) : std::nullopt;
    return size.has_value();
  };
  if (!take(from, i, left) || !take(to, j, right))
    return {0, 0};
  while (*left != *right)
    if (!(*left < *right ? take(from, i, left) : take(to, j, right)))
      return {0, 0};
  return {i, j};
}

void SizeSolver::alignGroups(ArrayRef<Expr> from, ArrayRef<Expr> to) {
  if (none_of(to, isDivided))
    return;
  for (bool atEnd : {false, true})
    while (true) {
      auto [i, j] = firstGroup(*this, from, to, atEnd);
      auto first = atEnd ? from.take_back(i) : from.take_front(i);
      auto second = atEnd ? to.take_back(j) : to.take_front(j);
      if (i == 0 || !equate(index::product(context, first), index::product(context, second)))
        break;
      from = atEnd ? from.drop_back(i) : from.drop_front(i);
      to = atEnd ? to.drop_back(j) : to.drop_front(j);
    }
}

/// (n + 1) // 2 is n // 2 where 2 divides n.
bool SizeSolver::unifyByRest(Expr a, Expr b) {
  for (Expr side : {resolve(a), resolve(b)})
    for (const index::Term &term : side.getTerms()) {
      Expr atom = term.monomial;
      if (!isQuotient(atom) || !atom.getOperands()[1].isConstant())
        continue;
      Expr dividend = atom.getOperands()[0] - atom.getOperands()[0].getConstantTerm();
      if (require(index::divisible(dividend, atom.getOperands()[1]), messageOf(dividend)) &&
          resolve(a) == resolve(b))
        return true;
    }
  return false;
}

/// n * a == n * b holds where a == b.
bool SizeSolver::unifyByFactor(Expr a, Expr b) {
  Expr difference = resolve(a) - resolve(b);
  for (Expr symbol : index::collectSymbols(difference)) {
    Expr rest = index::floordiv(difference, symbol);
    if (rest * symbol != difference)
      continue;
    Expr plus = context.constant(std::max<int64_t>(rest.getConstantTerm(), 0)), minus = plus - rest;
    for (const index::Term &term : rest.getTerms())
      if (term.coefficient > 0) {
        plus = plus + term.monomial * term.coefficient;
        minus = minus + term.monomial * term.coefficient;
      }
    return unify(plus, minus);
  }
  return false;
}

/// c * s == rest, where c is to divide the rest, is s == rest // c.
bool SizeSolver::unifyByQuotient(Expr a, Expr b) {
  Expr difference = resolve(a) - resolve(b);
  for (Expr symbol : reverse(symbols)) {
    std::optional<index::LinearIn> linear =
        index::contains(difference, symbol) ? index::asLinearIn(difference, symbol) : std::nullopt;
    std::optional<int64_t> factor =
        linear ? linear->coefficient.getConstant() : std::optional<int64_t>();
    if (!factor || *factor == 0)
      continue;
    Expr dividend = *factor < 0 ? linear->rest : -linear->rest;
    int64_t divisor = std::abs(*factor);
    if (require(index::divisible(dividend, divisor), messageOf(dividend)) &&
        bind(symbol, index::floordiv(dividend, divisor)))
      return resolve(a - b).isConstant(0);
  }
  return false;
}

bool SizeSolver::unifyByHints(Expr a, Expr b) {
  std::optional<int64_t> first = hint(a), second = hint(b);
  if (!first || first != second)
    return false;
  return unify(a, b) || unifyByRest(a, b) || unifyByFactor(a, b);
}

/// Gives a size that was typically equal to one of which a case assumes another number that number
/// too, where both expressions are typically equal then: in the case `x.shape[1] == 1` of
/// `x[2, 4, 3]` beside `y[2, 4, 3]` the axis of y is probably 1 too.
bool SizeSolver::adaptAlike(Expr a, Expr b) {
  SmallVector<std::pair<Expr, int64_t>> changed(firstHints.begin(), firstHints.end());
  llvm::sort(changed, [&](auto &x, auto &y) {
    return llvm::find(symbols, x.first) < llvm::find(symbols, y.first);
  });
  for (Expr symbol : index::collectSymbols(resolve(a) - resolve(b)))
    for (auto [other, first] : changed) {
      std::optional<int64_t> own = hint(symbol), now = hint(other);
      if (firstHint(symbol) != first || !own || !now || own == now)
        continue;
      firstHints.try_emplace(symbol, *own);
      hints[symbol] = *now;
      if (hint(a) == hint(b))
        return true;
    }
  return false;
}

bool SizeSolver::equate(Expr a, Expr b) {
  if (unify(a, b))
    return true;
  if (resolve(a).isConstant() && resolve(b).isConstant())
    return false;
  State before = save();
  alignByHints(b, a);
  if (unifyByHints(a, b))
    return true;
  restore(before);
  ArrayRef<Expr> mentioned = index::collectSymbols(resolve(a) - resolve(b));
  for (auto [place, symbol] : enumerate(mentioned))
    for (Expr other : mentioned.drop_front(place + 1)) {
      if (firstHint(symbol) && firstHint(symbol) == firstHint(other) && unify(symbol, other) &&
          unifyByHints(a, b))
        return true;
      restore(before);
    }
  if (hint(a) && hint(a) == hint(b) && unifyByQuotient(a, b))
    return true;
  restore(before);
  if (adaptAlike(a, b) && unifyByHints(a, b))
    return true;
  restore(std::move(before));
  return false;
}

} // namespace nereid::torch
