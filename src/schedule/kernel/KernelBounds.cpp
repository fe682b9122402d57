// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a kernel knows of its numbers: which are never below 0, so that the machine's division is
// theirs, and which fit into 32 bits.
#include "schedule/kernel/KernelScope.h"

#include "index/MixedRadix.h"

using namespace mlir;

namespace nereid::schedule {

/// Of merged axes the innermost index stands for the position: what `facts` know of it is of the
/// index that it was.
bool KernelBuilder::isNeverNegative(Expr expr, Pred under) {
  const index::Facts &known = form.merges.isEmpty() ? facts : knownBounds();
  if (!under || under.isTrue())
    return known.isTrue(index::ge(expr, 0));
  index::Facts more = known;
  more.assume(under);
  return more.isTrue(index::ge(expr, 0));
}

/// Whether a division in an expression is plain only where a condition holds.
bool KernelBuilder::needsGuard(Expr expr) {
  auto [known, isNew] = guardNeeds.try_emplace(expr, false);
  if (!isNew)
    return known->second;
  bool needs = false;
  // `substitute` visits the outermost atoms; their operands are asked in turn.
  (void)index::substitute(expr, [&](Expr atom) {
    bool isDivision =
        atom.getKind() == index::ExprKind::FloorDiv || atom.getKind() == index::ExprKind::Mod;
    if (isDivision && !isUniform(atom))
      needs |= !isNeverNegative(atom.getOperands()[0], Pred());
    if (!atom.isSymbol() && !atom.isConstant())
      for (Expr operand : atom.getOperands())
        needs |= needsGuard(operand);
    return atom;
  });
  return guardNeeds[expr] = needs;
}

/// Whether no dividend in the terms of a sum may be below 0.
static bool hasPlainDivisions(Expr expr, llvm::function_ref<bool(Expr)> isNeverNegative) {
  auto isPlain = [&](Expr atom) {
    bool isDivision =
        atom.getKind() == index::ExprKind::FloorDiv || atom.getKind() == index::ExprKind::Mod;
    return !isDivision || isNeverNegative(atom.getOperands()[0]);
  };
  return llvm::all_of(expr.getTerms(), [&](const index::Term &term) {
    if (term.monomial.getKind() != index::ExprKind::Product)
      return isPlain(term.monomial);
    return llvm::all_of(term.monomial.getFactors(),
                        [&](const index::Factor &factor) { return isPlain(factor.atom); });
  });
}

/// Divisions of what may be below 0 by those of what is not: `(-1 - i) // n` is `-1 - i // n`.
Expr KernelBuilder::turnDivisions(Expr expr) {
  return index::substitute(expr, [&](Expr atom) -> Expr {
    bool isMod = atom.getKind() == index::ExprKind::Mod;
    if (!isMod && atom.getKind() != index::ExprKind::FloorDiv)
      return Expr();
    Expr dividend = turnDivisions(atom.getOperands()[0]);
    Expr divisor = turnDivisions(atom.getOperands()[1]);
    if (isMod && wrapOf(dividend, divisor) != Wrap::None)
      return index::mod(dividend, divisor);
    bool isPositive = facts.isTrue(index::ge(divisor, 1)) || !divisor.isConstant();
    if (isPositive && !isUniform(dividend) && !isNeverNegative(dividend, Pred()))
      for (int64_t turns : {0, 1}) {
        // dividend = turns * divisor - 1 - rest
        Expr rest = divisor * turns - 1 - dividend;
        if (!isNeverNegative(rest, Pred()))
          continue;
        // The canonical form takes multiples of the divisor off again: `(N - i) % N` is `-i % N`,
        // whose turn leads back to here.
        Expr quotient = isMod ? index::mod(rest, divisor) : index::floordiv(rest, divisor);
        if (hasPlainDivisions(quotient,
                              [&](Expr dividend) { return isNeverNegative(dividend, Pred()); }))
          return isMod ? divisor - 1 - quotient : turns - 1 - quotient;
      }
    return isMod ? index::mod(dividend, divisor) : index::floordiv(dividend, divisor);
  });
}

/// What is known of the numbers that a program computes with: its positions, after merging.
const index::Facts &KernelBuilder::knownBounds() {
  // Positions are bound, and checks made, while the kernel grows.
  size_t known = positions.size() + checks.size() + turnsOfFew.size();
  if (bounds && boundsKnown == known)
    return *bounds;
  boundsKnown = known;
  bounds.emplace(context);
  narrowness.clear();
  // The greatest number of elements that positions of 32 bits count, whatever the block.
  constexpr int64_t longest = (int64_t(1) << 31) - 65536;
  auto mostOf = [&](Expr count) {
    bool isShort =
        llvm::any_of(checks, [&](auto &check) { return check.first == index::le(count, longest); });
    return isShort ? std::optional(longest) : std::nullopt;
  };
  auto add = [&](const Space &space, Expr position, std::optional<int64_t> most) {
    // A program runs only where no axis is empty, so a bound on all elements bounds each axis.
    Expr count = index::product(context, space.extents);
    most = most ? most : mostOf(count);
    for (auto [symbol, extent] : llvm::zip_equal(space.symbols, space.extents)) {
      std::optional<int64_t> own = most ? most : mostOf(extent);
      bounds->setRange(symbol, own ? index::Range::of(0, *own - 1) : index::Range::atLeast(0));
      bounds->assume(index::lt(symbol, extent));
      bounds->assume(index::ge(extent, 1));
      if (own)
        bounds->assume(index::le(extent, *own));
      if (extent.getKind() == index::ExprKind::Product)
        for (const index::Factor &factor : extent.getFactors())
          if (factor.atom.isSymbol())
            bounds->setRange(factor.atom, index::Range::atLeast(1));
    }
    if (position) {
      bounds->setRange(position, most ? index::Range::of(0, *most - 1) : index::Range::atLeast(0));
      bounds->assume(index::lt(position, count));
    }
  };
  for (const Space &space : {form.rows, form.batch, form.lanes})
    add(space, Expr(), std::nullopt);
  // Triton's tiles hold no more elements.
  std::optional<int64_t> mostColumns;
  if (form.resident)
    mostColumns = int64_t(1) << 20;
  for (const Space &space : form.columns)
    add(space, Expr(), mostColumns);
  auto isColumns = [&](const Space &space) {
    return llvm::any_of(form.columns,
                        [&](const Space &own) { return own.symbols == space.symbols; });
  };
  for (auto &[position, space] : positions)
    add(space, position, isColumns(space) ? mostColumns : std::nullopt);
  for (auto &[symbol, range] : turnsOfFew)
    bounds->setRange(symbol, range);
  for (auto &[check, message] : checks)
    bounds->assume(check);
  for (auto &[check, message] : program.checks)
    bounds->assume(check);
  return *bounds;
}

/// Whether a number fits into 32 bits wherever it is used.
bool KernelBuilder::isNarrow(Expr expr) {
  const index::Facts &known = knownBounds();
  auto [found, isNew] = narrowness.try_emplace(expr, false);
  if (isNew)
    found->second = provesNarrow(expr, known);
  return found->second;
}

bool KernelBuilder::provesNarrow(Expr expr, index::Facts known) {
  index::Range narrow = index::Range::of(INT32_MIN, INT32_MAX);
  // What the launch passes is as wide as it has to be: here only narrow numbers are of interest.
  for (const index::Term &term : expr.getTerms())
    if (isUniform(term.monomial))
      known.setRange(term.monomial, narrow);
    else if (term.monomial.getKind() == index::ExprKind::Product)
      for (const index::Factor &factor : term.monomial.getFactors())
        if (isUniform(factor.atom))
          known.setRange(factor.atom, narrow);
  Pred fits[] = {index::ge(expr, *narrow.lo), index::le(expr, *narrow.hi)};
  if (llvm::all_of(fits, [&](Pred pred) { return known.isTrue(pred); }))
    return true;
  index::MixedRadix digits(known, expr, [](Expr symbol) {
    return symbol.getName().starts_with("@") || symbol.getName().starts_with("$");
  });
  return digits.hasDigits() &&
         llvm::all_of(fits, [&](Pred pred) { return digits.isTrue(digits.rewrite(pred)); });
}

} // namespace nereid::schedule
