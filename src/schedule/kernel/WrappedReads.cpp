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

/// The one axis along which two accesses follow each other around the end of what they read, as
/// those of a roll do: the element `(i - s) % N` on both sides of `i < s`.
std::optional<KernelBuilder::AroundEnd> KernelBuilder::aroundEnd(const Access &before,
                                                                 const Access &behind, Pred when) {
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
  Expr place = behind.at[*along], size = behind.from->shape[*along];
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
  Expr wrapped = isWrap(plain) ? plain : whole;
  if (!isWrap(wrapped))
    return std::nullopt;
  return AroundEnd{*along, wrapped};
}

/// What two pieces of one tensor read that follow each other around its end is one read.
std::optional<Access> KernelBuilder::wrapAround(const Value &value, llvm::ArrayRef<Expr> at,
                                                Pred guard) {
  if (value.cases.size() != 2 || kernel.loop >= 0 || kernel.contraction || !kernel.unrolled.empty())
    return std::nullopt;
  const Access &tail = value.cases[0].access, &head = value.cases[1].access;
  if (tail.from != head.from || !isLoaded(*tail.from) || !tail.loaded.empty() ||
      !head.loaded.empty())
    return std::nullopt;
  Access behind = resolve(head, at, {}, guard);
  Pred when = substituteIndices(value.cases[0].when, at, {}, program);
  std::optional<AroundEnd> around = aroundEnd(resolve(tail, at, {}, guard), behind, when);
  if (!around)
    return std::nullopt;
  behind.at[around->axis] = around->place;
  return behind;
}

/// The index of which a coordinate is the place so many elements further, if it is.
static std::optional<size_t> asShifted(Expr coordinate, size_t rank, const Program &program) {
  for (size_t axis = 0; axis < rank; ++axis) {
    Expr shift = coordinate - program.getIndex(axis);
    bool isFixed = true;
    index::forEachSymbol(shift,
                         [&](Expr symbol) { isFixed &= !symbol.getName().starts_with("$"); });
    if (isFixed)
      return axis;
  }
  return std::nullopt;
}

/// What is below maps of one operand that go element by element: what each of them reads.
llvm::SmallVector<Access> KernelBuilder::throughMaps(Access top, Pred guard) {
  llvm::SmallVector<Access> chain = {std::move(top)};
  while (true) {
    const Value &value = *chain.back().from;
    auto isPlain = [&](Expr coordinate) {
      return asShifted(coordinate, value.shape.size(), program).has_value();
    };
    if (value.kind != ValueKind::Map || isLoaded(value) || value.inputs.size() != 1 ||
        !value.inputs[0].loaded.empty() || !llvm::all_of(value.inputs[0].at, isPlain))
      return chain;
    chain.push_back(resolve(value.inputs[0], chain.back().at, {}, guard));
  }
}

/// Pieces that make different things of what is computed from rows that a program holds, the end
/// of an axis and its beginning (`cat((-x[h:], x[:h]))` of a normed row): what is below them is
/// computed once, at the wrapped place. On an H200 rotated heads of 128 behind a norm take 118 us
/// so, and 138 us where each half is computed under its mask.
std::optional<TileValue> KernelBuilder::selectAroundEnd(const Value &value, llvm::ArrayRef<Expr> at,
                                                        Pred guard) {
  if (value.cases.size() != 2 || !form.resident || kernel.loop >= 0 || kernel.contraction ||
      !kernel.unrolled.empty() || kernel.strip || kernel.paired)
    return std::nullopt;
  const Access &tail = value.cases[0].access, &head = value.cases[1].access;
  if (!tail.loaded.empty() || !head.loaded.empty())
    return std::nullopt;
  llvm::SmallVector<Access> before = throughMaps(resolve(tail, at, {}, guard), guard),
                            behind = throughMaps(resolve(head, at, {}, guard), guard);
  // Where the chains meet.
  size_t depth = 0, below = 0;
  for (; depth < before.size(); ++depth) {
    auto *met = llvm::find_if(
        behind, [&](const Access &access) { return access.from == before[depth].from; });
    if ((below = met - behind.begin()) < behind.size())
      break;
  }
  if (depth == before.size())
    return std::nullopt;
  // A load of its own costs less than lanes that no longer lie side by side.
  const Value &shared = *before[depth].from;
  if (isLoaded(shared) || shared.isFree())
    return std::nullopt;
  Pred when = substituteIndices(value.cases[0].when, at, {}, program);
  std::optional<AroundEnd> around = aroundEnd(before[depth], behind[below], when);
  auto isHeld = [&](const Space &space) {
    return llvm::any_of(space.symbols,
                        [&](Expr symbol) { return index::contains(around->place, symbol); });
  };
  if (!around || llvm::none_of(form.columns, isHeld))
    return std::nullopt;
  // Maps go element by element: each piece is asked for at its own index of that element.
  auto ask = [&](llvm::ArrayRef<Access> chain, size_t depth) {
    Expr further = around->place - chain[depth].at[around->axis];
    size_t axis = around->axis;
    for (const Access &above : llvm::reverse(chain.take_front(depth)))
      axis = *asShifted(above.from->inputs[0].at[axis], above.from->shape.size(), program);
    Access top = chain.front();
    top.at[axis] = top.at[axis] + further;
    return request(*top.from, top.at, guard);
  };
  Location loc = plainLoc(value.loc);
  TileValue first = ask(before, depth), second = ask(behind, below);
  return math.select(predicate(decide(when, guard), loc), first, second, loc);
}

} // namespace nereid::schedule
