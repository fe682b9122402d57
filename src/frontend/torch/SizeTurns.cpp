// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What has to hold of the turns of loops: of all of them, by the first one and the last.
#include "frontend/torch/SizeSolver.h"

#include "llvm/ADT/Twine.h"

using namespace llvm;
using nereid::index::Truth;

namespace nereid::torch {

Expr SizeSolver::turn(StringRef name, Expr count) {
  std::string free = name.str();
  auto isTaken = [&](Expr symbol) {
    return isKnown(symbol) || bound.contains(symbol) ||
           any_of(turns, [&](auto &each) { return each.first == symbol; });
  };
  for (unsigned number = 2; isTaken(context.symbol(free)); ++number)
    free = (name + "_" + Twine(number)).str();
  Expr symbol = context.symbol(free);
  turns.push_back({symbol, count});
  return symbol;
}

bool SizeSolver::isOfTurns(Pred pred) const {
  bool found = false;
  index::forEachSymbol(pred, [&](Expr symbol) {
    found |= any_of(turns, [&](auto &each) { return each.first == symbol; });
  });
  return found;
}

bool SizeSolver::differs(Pred pred) {
  pred = resolve(pred);
  if (!isOfTurns(pred))
    return false;
  differing = pred;
  return true;
}

std::optional<int> SizeSolver::slope(Expr expr, Expr symbol) const {
  auto isPositive = [&](Expr number) { return truth(index::ge(number, 0)) == Truth::True; };
  if (!index::contains(expr, symbol))
    return 0;
  if (std::optional<index::LinearIn> linear = index::asLinearIn(expr, symbol)) {
    if (isPositive(linear->coefficient))
      return 1;
    return isPositive(-linear->coefficient) ? std::optional(-1) : std::nullopt;
  }
  std::optional<int> total = 0;
  auto add = [&](std::optional<int> part) {
    bool isAgainst = !part || (total && *total * *part < 0);
    total = !total || isAgainst ? std::nullopt : *part ? part : total;
  };
  switch (expr.getKind()) {
  case index::ExprKind::Min:
  case index::ExprKind::Max:
    for (Expr operand : expr.getOperands())
      add(slope(operand, symbol));
    return total;
  case index::ExprKind::Sum:
    for (const index::Term &term : expr.getTerms()) {
      std::optional<int> part = slope(term.monomial, symbol);
      add(part && term.coefficient < 0 ? std::optional(-*part) : part);
    }
    return total;
  case index::ExprKind::Product:
    for (const index::Factor &factor : expr.getFactors())
      add(isPositive(factor.atom) ? slope(factor.atom, symbol) : std::nullopt);
    return total;
  case index::ExprKind::FloorDiv: {
    Expr divisor = expr.getOperands()[1];
    bool isFixed = !index::contains(divisor, symbol) && isPositive(divisor - 1);
    return isFixed ? slope(expr.getOperands()[0], symbol) : std::nullopt;
  }
  default:
    return std::nullopt;
  }
}

/// Whether something holds in every turn, by what must be so in the first and in the last one.
bool SizeSolver::requireInTurns(Pred pred, StringRef message) {
  // A remainder is 0 at least, and less than its divisor.
  if (pred.getKind() == index::PredKind::NonNegative) {
    Expr least = context.constant(pred.getExpr().getConstantTerm());
    for (const index::Term &term : pred.getExpr().getTerms()) {
      bool isOpen = term.monomial.getKind() == index::ExprKind::Mod &&
                    isOfTurns(index::ge(term.monomial, 1)) &&
                    truth(index::ge(term.monomial.getOperands()[1], 1)) == Truth::True;
      Expr at = !isOpen                ? term.monomial
                : term.coefficient > 0 ? context.constant(0)
                                       : term.monomial.getOperands()[1] - 1;
      least = least + at * term.coefficient;
    }
    if (least != pred.getExpr())
      return require(index::ge(least, 0), message);
  }
  for (auto [symbol, count] : turns) {
    bool isInside =
        pred.getKind() == index::PredKind::NonNegative && index::contains(pred.getExpr(), symbol);
    bool isLinear = isInside && index::asLinearIn(pred.getExpr(), symbol);
    std::optional<int> rise = isInside ? slope(pred.getExpr(), symbol) : std::nullopt;
    if (!isLinear && !rise)
      continue;
    DenseMap<Expr, Expr> first{{symbol, context.constant(0)}}, last{{symbol, count - 1}};
    for (auto *end : {&first, &last}) {
      Pred part = resolve(index::substitute(pred, *end));
      // A comparison that is open for most of the turns is a case, not a requirement.
      if (truth(part) == Truth::False)
        return !differs(pred);
    }
    // Of what rises or falls from turn to turn one end is the least: it says all where there are no
    // turns, too.
    bool needsFirst = !rise || *rise > 0, needsLast = !rise || *rise <= 0;
    return (!needsFirst || require(index::substitute(pred, first), message)) &&
           (!needsLast || require(index::substitute(pred, last), message));
  }
  return !differs(pred);
}

} // namespace nereid::torch
