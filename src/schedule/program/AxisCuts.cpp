// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "schedule/program/AxisCuts.h"
#include "schedule/program/Value.h"

namespace nereid::schedule {

using index::Expr;
using index::ExprKind;
using index::Pred;

void boundIndex(index::Facts &facts, Expr index, Expr extent) {
  facts.setRange(index, index::Range::atLeast(0));
  facts.assume(index::lt(index, extent));
  llvm::SmallVector<index::Term, 4> terms = extent.getTerms();
  if (terms.size() != 1 || extent.getConstantTerm() != 0)
    return;
  // Of a negative product (`-(-18 // N)`) one is negative, which is no symbol.
  auto setPositive = [&](Expr factor) {
    if (terms[0].coefficient > 0 || factor.isSymbol())
      facts.setRange(factor, index::Range::atLeast(1));
  };
  if (terms[0].monomial.getKind() != ExprKind::Product)
    return setPositive(terms[0].monomial);
  for (const index::Factor &factor : terms[0].monomial.getFactors())
    setPositive(factor.atom);
}

/// Calls `visit` for the atoms of an expression, not for those within them.
static void forEachAtom(Expr expr, llvm::function_ref<void(Expr)> visit) {
  for (const index::Term &term : expr.getTerms()) {
    if (term.monomial.getKind() != ExprKind::Product) {
      visit(term.monomial);
      continue;
    }
    for (const index::Factor &factor : term.monomial.getFactors())
      visit(factor.atom);
  }
}

static bool isDivision(Expr atom) {
  return atom.getKind() == ExprKind::FloorDiv || atom.getKind() == ExprKind::Mod;
}

bool hasDivision(Expr expr) {
  bool found = false;
  forEachAtom(expr, [&](Expr atom) {
    found |= isDivision(atom);
    if (!found && (atom.getKind() == ExprKind::Min || atom.getKind() == ExprKind::Max))
      found = llvm::any_of(atom.getOperands(), hasDivision);
  });
  return found;
}

llvm::SmallVector<index::Expr, 4> decidedBy(const index::Facts &facts,
                                            llvm::ArrayRef<index::Expr> at) {
  llvm::SmallVector<Expr, 4> decided;
  for (Expr coordinate : at)
    decided.push_back(hasDivision(coordinate) ? facts.simplify(coordinate) : coordinate);
  return decided;
}

llvm::SmallVector<Expr, 4> boundariesOf(llvm::ArrayRef<Expr> extents) {
  llvm::SmallVector<Expr, 4> chain;
  for (size_t first = 1; first < extents.size(); ++first)
    chain.push_back(index::product(extents[0].getContext(), extents.drop_front(first)));
  return chain;
}

/// expr / divisor, where that leaves no rest whatever the sizes are.
static std::optional<Expr> exactQuotient(Expr expr, Expr divisor) {
  Expr quotient = index::floordiv(expr, divisor);
  if (quotient * divisor != expr)
    return std::nullopt;
  return quotient;
}

bool addBoundary(llvm::SmallVectorImpl<Expr> &chain, Expr total, Expr boundary) {
  if (boundary == total || boundary.isConstant(1) || llvm::is_contained(chain, boundary))
    return true;
  for (size_t place = 0; place <= chain.size(); ++place) {
    Expr outer = place == 0 ? total : chain[place - 1];
    if (!exactQuotient(outer, boundary))
      return false;
    if (place == chain.size() || exactQuotient(boundary, chain[place])) {
      chain.insert(chain.begin() + place, boundary);
      return true;
    }
  }
  return false;
}

llvm::SmallVector<Expr, 4> extentsBetween(llvm::ArrayRef<Expr> chain, Expr total) {
  llvm::SmallVector<Expr, 4> extents;
  Expr outer = total;
  for (Expr boundary : chain) {
    extents.push_back(index::floordiv(outer, boundary));
    outer = boundary;
  }
  extents.push_back(outer);
  return extents;
}

void AxisCuts::addIndex(Expr index, Expr extent) {
  if (!axes.try_emplace(index, Axis{extent, {}, {}}).second)
    return;
  bound(index, extent);
}

void AxisCuts::bound(Expr index, Expr extent) { bounded.append({index, extent}); }

/// As facts about what is bounded do, which other plans have too.
Expr AxisCuts::simplify(Expr expr) const {
  Expr &known = memory.simplified[{expr, memory.placeOf(bounded, {})}];
  if (known)
    return known;
  for (; stated < bounded.size(); stated += 2)
    boundIndex(facts, bounded[stated], bounded[stated + 1]);
  return known = facts.simplify(expr);
}

/// An index divided by `unit`, perhaps with its upper part taken off.
std::optional<AxisCuts::Scaled> AxisCuts::readScaled(Expr expr) const {
  if (expr.isSymbol()) {
    if (!axes.count(expr))
      return std::nullopt;
    return Scaled{expr, context.constant(1), Expr()};
  }
  if (!isDivision(expr))
    return std::nullopt;
  Expr divisor = expr.getOperands()[1];
  auto inner = readScaled(expr.getOperands()[0]);
  if (!inner || !inner->mayCut(divisor))
    return std::nullopt;
  if (expr.getKind() == ExprKind::Mod) {
    inner->within = divisor;
    return inner;
  }
  inner->unit = inner->unit * divisor;
  if (inner->within)
    inner->within = index::floordiv(inner->within, divisor);
  return inner;
}

bool AxisCuts::Scaled::mayCut(Expr divisor) const {
  return !within || exactQuotient(within, divisor);
}

void AxisCuts::noteAtom(Expr atom) {
  if (atom.isSymbol() || atom.isConstant())
    return;
  if (isDivision(atom))
    if (auto scaled = readScaled(atom.getOperands()[0]);
        scaled && scaled->mayCut(atom.getOperands()[1])) {
      Axis &axis = axes.find(scaled->index)->second;
      Expr boundary = scaled->unit * atom.getOperands()[1];
      bool isSize = true;
      index::forEachSymbol(boundary, [&](Expr symbol) { isSize &= !axes.count(symbol); });
      if (isSize)
        (void)addBoundary(axis.boundaries, axis.extent, boundary);
    }
  for (Expr operand : atom.getOperands())
    forEachAtom(operand, [&](Expr inner) { noteAtom(inner); });
}

void AxisCuts::note(Expr expr) {
  if (hasDivision(expr))
    forEachAtom(simplify(expr), [&](Expr atom) { noteAtom(atom); });
}

void AxisCuts::note(Pred pred) {
  switch (pred.getKind()) {
  case index::PredKind::True:
  case index::PredKind::False:
    return;
  case index::PredKind::And:
  case index::PredKind::Or:
    for (Pred part : pred.getOperands())
      note(part);
    return;
  default:
    note(pred.getExpr());
  }
}

llvm::ArrayRef<Expr> AxisCuts::getBoundaries(Expr index) const {
  return axes.find(index)->second.boundaries;
}

void AxisCuts::cut() {
  for (auto &[index, axis] : axes) {
    if (axis.boundaries.empty()) {
      axis.parts.push_back({index, axis.extent});
      continue;
    }
    Expr position = context.constant(0);
    for (Expr extent : extentsBetween(axis.boundaries, axis.extent)) {
      Expr symbol = context.symbol((index.getName() + "." + llvm::Twine(axis.parts.size())).str());
      axis.parts.push_back({symbol, extent});
      bound(symbol, extent);
      position = position * extent + symbol;
    }
    replacements[index] = position;
  }
}

llvm::ArrayRef<AxisCuts::Part> AxisCuts::getParts(Expr index) const {
  return axes.find(index)->second.parts;
}

Expr AxisCuts::resolve(Expr expr) const {
  if (replacements.empty() && !hasDivision(expr))
    return expr;
  return simplify(index::substitute(expr, replacements));
}

} // namespace nereid::schedule
