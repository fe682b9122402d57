// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads that come around the end of an axis: one load, at a remainder that takes no division.
#include "schedule/kernel/KernelScope.h"
#include "schedule/program/AxisCuts.h"

#include "schedule/program/IndexMap.h"

using namespace mlir;

namespace nereid::schedule {

static void boundIndices(index::Facts &facts, const Space &space) {
  for (auto [symbol, extent] : llvm::zip_equal(space.symbols, space.extents))
    boundIndex(facts, symbol, extent);
}

/// Which side of `0 <= x < n` a dividend leaves, if it leaves one and by less than the divisor: its
/// remainder takes a comparison then, and no division.
KernelBuilder::Wrap KernelBuilder::wrapOf(Expr dividend, Expr divisor) {
  // The index of axes that are traversed as one goes as far as all of them do.
  if (!positionFacts) {
    positionFacts.emplace(context);
    for (const Space *space : {&form.batch, &form.rows, &form.lanes, &form.outerColumns})
      boundIndices(*positionFacts, *space);
    for (const Space &space : form.columns)
      boundIndices(*positionFacts, space);
  }
  auto holds = [&](Expr expr) { return positionFacts->isTrue(index::ge(expr, 0)); };
  if (isUniform(dividend) || isTurnOfFew(dividend))
    return Wrap::None;
  if (holds(dividend))
    return holds(divisor * 2 - 1 - dividend) ? Wrap::Past : Wrap::None;
  return holds(dividend + divisor) && holds(divisor - 1 - dividend) ? Wrap::Below : Wrap::None;
}

/// What two pieces of one tensor read that follow each other around its end, as a roll's do: one
/// element `(i - s) % N` on both sides of `i < s`.
std::optional<Access> KernelBuilder::wrapAround(const Value &value, llvm::ArrayRef<Expr> at,
                                                Pred guard) {
  if (value.cases.size() != 2 || kernel.loop >= 0 || kernel.contraction || !kernel.unrolled.empty())
    return std::nullopt;
  const Access &tail = value.cases[0].access, &head = value.cases[1].access;
  if (tail.from != head.from || !isLoaded(*tail.from) || !tail.loaded.empty() ||
      !head.loaded.empty())
    return std::nullopt;
  Access before = resolve(tail, at, {}, guard), behind = resolve(head, at, {}, guard);
  // There is an element.
  index::Facts inside = facts;
  for (Expr size : before.from->shape)
    inside.assume(index::ge(size, 1));
  std::optional<size_t> along;
  for (size_t axis = 0; axis < before.at.size(); ++axis)
    if (before.at[axis] != behind.at[axis]) {
      Expr distance = before.at[axis] - behind.at[axis] - before.from->shape[axis];
      if (along || !inside.simplify(distance).isConstant(0))
        return std::nullopt;
      along = axis;
    }
  if (!along)
    return std::nullopt;
  Expr &place = behind.at[*along], size = behind.from->shape[*along];
  Pred when = substituteIndices(value.cases[0].when, at, {}, program);
  if (inside.simplify(when) != inside.simplify(index::lt(place, 0)))
    return std::nullopt;
  auto isWrap = [&](Expr expr) {
    return expr.getKind() == index::ExprKind::Mod &&
           wrapOf(expr.getOperands()[0], expr.getOperands()[1]) != Wrap::None;
  };
  Expr whole = index::mod(inside.simplify(place), size);
  // By a number, whatever the size.
  Expr plain = index::substitute(whole, [&](Expr atom) -> Expr {
    if (atom.getKind() != index::ExprKind::Mod || atom == whole || atom.getOperands()[1] != size)
      return Expr();
    return atom.getOperands()[0].isConstant() ? atom.getOperands()[0] : Expr();
  });
  place = isWrap(plain) ? plain : whole;
  if (!isWrap(place))
    return std::nullopt;
  return behind;
}

} // namespace nereid::schedule
