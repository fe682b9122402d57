// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pieces of a concatenation, and what is known of their conditions where an element stands.
#include "schedule/kernel/KernelScope.h"
#include "schedule/program/AxisCuts.h"
#include "schedule/program/IndexMap.h"

using namespace mlir;

namespace nereid::schedule {

/// A condition without the parts that are known to hold, or to fail, wherever `under` holds.
static Pred withoutKnown(Pred pred, const index::Facts &facts) {
  index::Context &context = facts.getContext();
  index::Truth truth = facts.prove(pred);
  if (truth != index::Truth::Unknown)
    return index::truth(context, truth == index::Truth::True);
  if (pred.getKind() != index::PredKind::And && pred.getKind() != index::PredKind::Or)
    return pred;
  llvm::SmallVector<Pred> parts;
  for (Pred part : pred.getOperands())
    parts.push_back(withoutKnown(part, facts));
  return pred.getKind() == index::PredKind::And ? index::allOf(context, parts)
                                                : index::anyOf(context, parts);
}

/// What is known where an element stands at some coordinates: what hangs on no column is decided
/// without one, for there may be none; of several that a program holds, each may be empty.
index::Facts KernelBuilder::factsAbout(llvm::ArrayRef<Pred> preds) const {
  llvm::DenseSet<Expr> symbols;
  for (Pred part : preds)
    index::forEachSymbol(part, [&](Expr symbol) { symbols.insert(symbol); });
  llvm::SmallVector<const Space *, 4> reached;
  llvm::DenseSet<Expr> nonEmpty(kernel.rows.extents.begin(), kernel.rows.extents.end());
  auto isReached = [&](const Space &space) {
    return llvm::any_of(space.symbols, [&](Expr symbol) { return symbols.contains(symbol); });
  };
  auto isKnown = [&](Expr extent) { return extent.isConstant() || nonEmpty.contains(extent); };
  for (llvm::ArrayRef<Space> spaces :
       {llvm::ArrayRef(kernel.columns), llvm::ArrayRef(kernel.unrolled)})
    for (const Space &space : spaces)
      if (isReached(space)) {
        reached.push_back(&space);
        nonEmpty.insert(space.extents.begin(), space.extents.end());
      }
  if (reached.empty())
    return factsOfRows;
  auto isNonEmpty = [&](const Space &space) { return llvm::all_of(space.extents, isKnown); };
  if (llvm::all_of(kernel.columns, isNonEmpty) && llvm::all_of(kernel.unrolled, isNonEmpty))
    return facts;
  index::Facts known = factsOfRows;
  for (const Space *space : reached)
    for (auto [symbol, extent] : llvm::zip_equal(space->symbols, space->extents))
      boundIndex(known, symbol, extent);
  for (const auto &[turn, range] : turnsOfFew)
    known.setRange(turn, range);
  return known;
}

/// Where pieces of a concatenation meet, many conditions follow from those around them.
Pred KernelBuilder::decide(Pred pred, Pred under) {
  if (pred.isTrue() || pred.isFalse())
    return pred;
  index::Facts more = factsAbout({pred, under});
  more.assume(under);
  return withoutKnown(pred, more);
}

TileValue KernelBuilder::select(const Value &value, llvm::ArrayRef<Expr> at, Pred guard) {
  if (std::optional<Access> whole = wrapAround(value, at, guard))
    return request(*whole->from, whole->at, guard);
  if (std::optional<TileValue> shared = selectAroundEnd(value, at, guard))
    return *shared;
  Location loc = plainLoc(value.loc);
  struct Arm {
    Pred when;
    TileValue value;
  };
  llvm::SmallVector<Arm> arms;
  Pred earlier = index::truth(context, true);
  for (const Case &alternative : value.cases) {
    // The loaded index itself is read wherever the select is; only what it points at depends on it.
    Pred when = substituteIndices(alternative.when, at, {}, program);
    llvm::DenseMap<Expr, Expr> loaded;
    Access resolved = resolve(alternative.access, at, {}, guard, &loaded);
    when = index::substitute(when, loaded);
    // The turns of a loop often lie on one side of a condition, and so do the digits of a place.
    if (kernel.loop >= 0 || kernel.contraction)
      when = facts.simplify(when);
    when = decide(when, guard & earlier);
    bool isLast = &alternative == &value.cases.back();
    if (when.isFalse() && !(isLast && arms.empty()))
      continue;
    TileValue arm = request(*resolved.from, resolved.at, guard & earlier & when);
    arms.push_back({when, arm});
    earlier = earlier & index::notOf(when);
    if (when.isTrue())
      break;
  }
  TileValue result = arms.back().value;
  arms.pop_back();
  auto isSame = [](const TileValue &a, const TileValue &b) {
    Attribute first, second;
    return a.value == b.value || (matchPattern(a.value, m_Constant(&first)) &&
                                  matchPattern(b.value, m_Constant(&second)) && first == second);
  };
  for (Arm &arm : llvm::reverse(arms))
    if (!isSame(arm.value, result))
      result = math.select(predicate(arm.when, loc), arm.value, result, loc);
  return result;
}

} // namespace nereid::schedule
