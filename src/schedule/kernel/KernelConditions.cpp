// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conditions of a kernel on its indices, and the masks of its axes.
#include "schedule/kernel/KernelScope.h"

using namespace mlir;

namespace nereid::schedule {

TileValue KernelBuilder::predicate(Pred pred, Location loc) {
  return mergedPredicate(form.merges.apply(pred), loc);
}

/// A condition over the merged axes: merging twice would read a position as an index.
TileValue KernelBuilder::mergedPredicate(Pred pred, Location loc) {
  Scope &scope = scopeOf({}, pred);
  auto found = scope.predicates.find(pred);
  if (found != scope.predicates.end())
    return found->second;
  InScope in(*this, scope);
  TileValue result = computePredicate(pred, loc);
  scope.predicates[pred] = result;
  return result;
}

/// Sizes beside a lane's position go to the other side where all is sizes, and the launch passes
/// them as one number: the sum of a position and a size may leave 32 bits, a difference of sizes
/// does not.
void KernelBuilder::gatherSizes(Expr &left, Expr &right) {
  for (auto [from, to] : {std::pair(&left, &right), std::pair(&right, &left)}) {
    if (isUniform(*from) || !isUniform(*to))
      continue;
    Expr sizes = left.getContext().constant(0);
    for (const index::Term &term : from->getTerms())
      if (isUniform(term.monomial))
        sizes = sizes + term.monomial * term.coefficient;
    *from = *from - sizes;
    *to = *to - sizes;
    return;
  }
}

TileValue KernelBuilder::computePredicate(Pred pred, Location loc) {
  using Kind = index::PredKind;
  switch (pred.getKind()) {
  case Kind::True:
  case Kind::False: {
    mlir::Value value = arith::ConstantOp::create(builder, loc, builder.getBoolAttr(pred.isTrue()));
    return {value, {}, {}};
  }
  case Kind::And:
  case Kind::Or: {
    TileValue result = mergedPredicate(pred.getOperands()[0], loc);
    for (Pred part : pred.getOperands().drop_front())
      result = pred.getKind() == Kind::And
                   ? math.logicalAnd(result, mergedPredicate(part, loc), loc)
                   : math.logicalOr(result, mergedPredicate(part, loc), loc);
    return result;
  }
  case Kind::Divisible:
  case Kind::NotDivisible: {
    TileValue rest = number(index::mod(pred.getExpr(), pred.getDivisor()), false, loc);
    auto test =
        pred.getKind() == Kind::Divisible ? arith::CmpIPredicate::eq : arith::CmpIPredicate::ne;
    return math.compare(test, rest, math.integer(0, 32, loc), loc);
  }
  case Kind::Zero:
  case Kind::NonZero:
  case Kind::NonNegative:
    break;
  }
  // Terms go to the side on which they are positive: `N - 1 - i >= 0` is `i < N`.
  Expr left = context.constant(0), right = context.constant(0);
  for (const index::Term &term : pred.getExpr().getTerms()) {
    if (term.coefficient > 0)
      right = right + term.monomial * term.coefficient;
    else
      left = left + term.monomial * -term.coefficient;
  }
  gatherSizes(left, right);
  int64_t constant = pred.getExpr().getConstantTerm();
  arith::CmpIPredicate test = pred.getKind() == Kind::Zero      ? arith::CmpIPredicate::eq
                              : pred.getKind() == Kind::NonZero ? arith::CmpIPredicate::ne
                                                                : arith::CmpIPredicate::sle;
  if (test == arith::CmpIPredicate::sle && constant == -1) {
    test = arith::CmpIPredicate::slt;
    constant = 0;
  }
  if (constant > 0)
    right = right + constant;
  else
    left = left - constant;
  // `a >= c` reads better than `c <= a`.
  if (left.isConstant() && test == arith::CmpIPredicate::sle)
    return math.compare(arith::CmpIPredicate::sge, number(right, false, loc),
                        number(left, false, loc), loc);
  return math.compare(test, number(left, false, loc), number(right, false, loc), loc);
}

std::optional<TileValue> KernelBuilder::boundsMask(llvm::ArrayRef<unsigned> axes, Location loc) {
  std::optional<TileValue> mask;
  for (unsigned axis : axes) {
    auto found = axisMasks.find(axis);
    if (found == axisMasks.end())
      continue;
    mask = mask ? math.logicalAnd(*mask, found->second, nameLoc("mask", loc)) : found->second;
  }
  return mask;
}

std::optional<TileValue> KernelBuilder::maskUnder(Pred guard, llvm::ArrayRef<unsigned> axes,
                                                  Location loc) {
  if (!guard || guard.isTrue())
    return boundsMask(axes, loc);
  // Lanes beyond the bounds may fulfil the condition, also where the value is one for all.
  TileValue condition = predicate(guard, loc);
  llvm::SmallVector<unsigned, 2> along(axes);
  for (unsigned axis : condition.axes)
    if (!llvm::is_contained(along, axis))
      along.push_back(axis);
  llvm::sort(along);
  std::optional<TileValue> mask = boundsMask(along, loc);
  return mask ? math.logicalAnd(*mask, condition, loc) : condition;
}

TileValue KernelBuilder::inBounds(unsigned axis, TileValue input, TileValue fill, Location loc) {
  auto mask = axisMasks.find(axis);
  return mask == axisMasks.end() ? input : math.select(mask->second, input, fill, loc);
}

} // namespace nereid::schedule
