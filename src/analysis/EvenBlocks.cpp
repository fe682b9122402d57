// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Masks that a flag of the launch takes away: `(ks < K) | EVEN_K`, where EVEN_K says that blocks
// come out even. The proof is that the flag says what the mask says.
#include "analysis/LaneValues.h"

#include "tile/TileOps.h"

#include <numeric>

using namespace mlir;

namespace nereid::analysis {

/// Whether a value is a meta-parameter that is a condition, for all lanes.
static bool isFlag(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<tile::SplatOp, tile::BroadcastOp, tile::ExpandDimsOp, tile::RelabelOp>(op))
      return isa<tile::MetaOp>(op);
    value = op->getOperand(0);
  }
  return false;
}

/// Whether a grid has no programs where a size is 0.
static bool isInGrid(ArrayRef<index::Expr> grid, index::Expr size) {
  index::Expr zero = size.getContext().constant(0);
  return llvm::any_of(grid, [&](index::Expr extent) {
    return index::substitute(extent, {{size, zero}}).isConstant(0);
  });
}

/// Whether a condition on the way fails where a size is 0: a loop over its blocks has no turns.
static bool isOnPath(const index::Facts &known, ArrayRef<Conjunct> path, index::Expr size) {
  index::Expr zero = size.getContext().constant(0);
  return llvm::any_of(path, [&](const Conjunct &part) {
    bool isAbout = false;
    index::forEachSymbol(part.pred, [&](index::Expr symbol) { isAbout |= symbol == size; });
    return isAbout &&
           known.prove(index::substitute(part.pred, {{size, zero}})) == index::Truth::False;
  });
}

/// Assumes that blocks come out even: a multiple of a size that a number divides. Where there is a
/// program and a turn, it is one block at least.
static void assumeEven(index::Facts &known, index::Pred even, ArrayRef<index::Expr> grid,
                       ArrayRef<Conjunct> path) {
  known.assume(even);
  if (even.getKind() != index::PredKind::Divisible || !even.getDivisor().isConstant() ||
      even.getExpr().getConstantTerm() != 0 || even.getExpr().getTerms().size() != 1)
    return;
  index::Term term = even.getExpr().getTerms().front();
  int64_t divisor = *even.getDivisor().getConstant();
  divisor /= std::gcd(divisor, term.coefficient);
  known.setDivisible(term.monomial, divisor);
  if (llvm::all_of(index::collectSymbols(term.monomial), [&](index::Expr size) {
        return isInGrid(grid, size) || isOnPath(known, path, size);
      }))
    known.assume(index::ge(term.monomial, divisor));
}

/// Assumes a condition, and that of two numbers which a block divides the greater one is greater by
/// a block.
static void assumeDistances(index::Facts &known, index::Pred pred) {
  if (pred.getKind() == index::PredKind::And) {
    for (index::Pred part : pred.getOperands())
      assumeDistances(known, part);
    return;
  }
  known.assume(pred);
  if (pred.getKind() != index::PredKind::NonNegative)
    return;
  index::Expr distance = pred.getExpr() + 1;
  known.assume(index::ge(distance, known.knownMultiple(distance)));
  // What is below the least of several numbers is below each.
  for (const index::Term &term : pred.getExpr().getTerms())
    if (term.monomial.getKind() == index::ExprKind::Min && term.coefficient > 0)
      for (index::Expr bound : term.monomial.getOperands())
        assumeDistances(known,
                        index::ge(pred.getExpr(), (term.monomial - bound) * term.coefficient));
}

/// `inside | EVEN`, where the flag says that blocks come out even: all lanes lie inside then, so
/// that it is `inside`. Nothing where this is not known.
std::optional<LaneValue> LaneValues::insideOrEven(Operation *op) {
  const LaneValue &given = get(op->getOperand(1));
  if (!isFlag(op->getOperand(1)) || given.conjuncts.size() != 1 || !given.conjuncts[0].exact ||
      given.conjuncts[0].pred.isTrue())
    return std::nullopt;
  LaneValue inside = get(op->getOperand(0));
  index::Facts known = facts;
  for (auto [axis, extent] : llvm::enumerate(extentsOf(op->getResult(0).getType()))) {
    known.assume(index::ge(lane(axis), 0));
    known.assume(index::lt(lane(axis), extent));
  }
  auto path = pathTo(op);
  assumeEven(known, given.conjuncts[0].pred, contract.grid, path);
  RangeChecks checks;
  for (const Conjunct &part : path) {
    assumeDistances(known, part.pred);
    llvm::append_range(checks, part.checks);
  }
  for (Conjunct &part : inside.conjuncts) {
    if (!known.isTrue(part.pred))
      return std::nullopt;
    llvm::append_range(part.checks, checks);
  }
  return inside;
}

} // namespace nereid::analysis
