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
  auto mostOf = [&](Expr count) {
    bool isShort = llvm::any_of(
        checks, [&](auto &check) { return check.first == index::le(count, longest32); });
    return isShort ? std::optional(longest32) : std::nullopt;
  };
  auto add = [&](const Space &space, Expr position, std::optional<int64_t> most) {
    // A program runs only where no axis is empty, so a bound on all elements bounds each axis.
    Expr count = index::product(context, space.extents);
    most = most ? most : mostOf(count);
    for (auto [symbol, extent] : llvm::zip_equal(space.symbols, space.extents)) {
      extents[symbol] = extent;
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
      extents[position] = count;
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

/// The greatest that a coordinate may be, in sizes; null where strides or data are in it.
std::optional<Expr> KernelBuilder::greatest(Expr atom) {
  if (isUniform(atom)) {
    bool hasStrides = false;
    index::forEachSymbol(atom, [&](Expr symbol) { hasStrides |= isStrideOfCall(symbol); });
    return hasStrides ? std::nullopt : std::optional(atom);
  }
  switch (atom.getKind()) {
  case index::ExprKind::Symbol: {
    for (auto &[symbol, range] : turnsOfFew)
      if (symbol == atom)
        return context.constant(std::max(std::abs(*range.lo), std::abs(*range.hi)));
    auto extent = extents.find(atom);
    return extent == extents.end() ? std::nullopt : std::optional(extent->second);
  }
  case index::ExprKind::Mod:
    return greatest(atom.getOperands()[1]);
  case index::ExprKind::FloorDiv: {
    std::optional<Expr> dividend = greatestOfSum(atom.getOperands()[0]);
    Expr divisor = atom.getOperands()[1];
    return dividend && isUniform(divisor) ? std::optional(index::ceildiv(*dividend, divisor))
                                          : std::nullopt;
  }
  default:
    return std::nullopt;
  }
}

/// The greatest magnitude of a sum of coordinates and of its parts.
std::optional<Expr> KernelBuilder::greatestOfSum(Expr expr) {
  Expr sum = context.constant(std::abs(expr.getConstantTerm()));
  for (const index::Term &term : expr.getTerms()) {
    Expr product = context.constant(std::abs(term.coefficient));
    llvm::SmallVector<index::Factor, 2> factors = {{term.monomial, 1}};
    if (term.monomial.getKind() == index::ExprKind::Product)
      factors.assign(term.monomial.getFactors().begin(), term.monomial.getFactors().end());
    for (const index::Factor &factor : factors)
      for (unsigned i = 0; i < factor.power; ++i) {
        std::optional<Expr> most = greatest(factor.atom);
        if (!most)
          return std::nullopt;
        product = product * *most;
      }
    sum = sum + product;
  }
  return sum;
}

/// Bounds a sum of sizes by sizes without quotients: `8 * ceildiv(M, 8)` is less than `M + 8`, and
/// what is less than a block is within the room that 32 bits leave.
static Expr withoutQuotients(Expr sum) {
  Expr result = sum.getContext().constant(sum.getConstantTerm());
  for (const index::Term &term : sum.getTerms()) {
    Expr atom = term.monomial;
    bool isQuotient =
        atom.getKind() == index::ExprKind::FloorDiv && atom.getOperands()[1].isConstant();
    if (!isQuotient) {
      result = result + atom * std::abs(term.coefficient);
      continue;
    }
    int64_t divisor = *atom.getOperands()[1].getConstant();
    int64_t times = llvm::divideCeil(std::abs(term.coefficient), divisor);
    result = result + withoutQuotients(atom.getOperands()[0]) * times;
  }
  return result;
}

/// Asks of the launch that a number that is no address fits into 32 bits: twice a position of half
/// an axis could be longer than the axis may be. Each size is bounded by a power of two, so that
/// several numbers ask for the same.
bool KernelBuilder::demandNarrow(Expr expr) {
  std::optional<Expr> most = greatestOfSum(expr);
  if (!most)
    return false;
  constexpr int64_t room = 65536;
  most = withoutQuotients(facts.simplify(*most));
  int64_t times = 0;
  for (const index::Term &term : most->getTerms())
    times += term.coefficient;
  if (std::abs(most->getConstantTerm()) >= room || times >= room)
    return false;
  for (const index::Term &term : most->getTerms()) {
    Pred check = index::le(term.monomial, (int64_t(1) << (31 - llvm::Log2_64_Ceil(times))) - room);
    if (!knownBounds().isTrue(check))
      checks.emplace_back(check, "an axis is too long for 32-bit indices");
  }
  return true;
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
