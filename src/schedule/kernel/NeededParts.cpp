// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loads that skip what a mask hides. Where `where(columns <= rows, scores, -inf)` looks at the
// scores only below the diagonal, the others need not come from memory. The condition is widened to
// whole sectors: lanes that lie together are loaded together or not at all, and loads stay as wide
// as they were. The choice itself stays as it is written.
#include "schedule/kernel/KernelScope.h"

#include "graph/GraphOps.h"
#include "schedule/program/IndexMap.h"
#include "schedule/program/IndexValues.h"

using namespace mlir;

namespace nereid::schedule {

/// Elements of two bytes in a sector of memory.
static constexpr int64_t sectorElements = 16;

static bool dependsOn(Pred pred, Expr symbol) {
  using Kind = index::PredKind;
  if (pred.isTrue() || pred.isFalse())
    return false;
  if (pred.getKind() != Kind::And && pred.getKind() != Kind::Or)
    return index::contains(pred.getExpr(), symbol);
  return llvm::any_of(pred.getOperands(), [&](Pred part) { return dependsOn(part, symbol); });
}

/// A condition that holds wherever `pred` does, and alike for all of a sector's positions along
/// `column`.
static Pred widen(Pred pred, Expr column) {
  index::Context &context = column.getContext();
  Pred always = index::truth(context, true);
  if (pred.getKind() == index::PredKind::And || pred.getKind() == index::PredKind::Or) {
    llvm::SmallVector<Pred> parts;
    for (Pred part : pred.getOperands())
      parts.push_back(widen(part, column));
    return pred.getKind() == index::PredKind::And ? index::allOf(context, parts)
                                                  : index::anyOf(context, parts);
  }
  if (!dependsOn(pred, column))
    return pred;
  if (pred.getKind() != index::PredKind::NonNegative)
    return always;
  auto linear = index::asLinearIn(pred.getExpr(), column);
  Expr first = index::floordiv(column, sectorElements) * sectorElements;
  if (linear && linear->coefficient.isConstant(-1))
    return index::ge(linear->rest - first, 0);
  if (linear && linear->coefficient.isConstant(1))
    return index::ge(linear->rest + first + (sectorElements - 1), 0);
  return always;
}

/// Whether all that is loaded for a value lies along a column: a number of the row must not become
/// a tile. Not so where folds are needed, or nothing is loaded.
static bool readsAlong(Requests requests, const Access &access, Expr column) {
  bool isPlain = requests.add(*access.from, access.at, [](const Value &, llvm::ArrayRef<Expr>) {
    return std::optional<llvm::SmallVector<Expr, 4>>();
  });
  auto isAlong = [&](const Request &request) {
    return llvm::any_of(request.at,
                        [&](Expr coordinate) { return index::contains(coordinate, column); });
  };
  auto loads = llvm::make_filter_range(requests.getAll(),
                                       [](const Request &request) { return request.isLoad; });
  return isPlain && !loads.empty() && llvm::all_of(loads, isAlong);
}

Pred KernelBuilder::neededWhere(const Value &value, unsigned operand, llvm::ArrayRef<Expr> at,
                                Pred guard) {
  Pred always = index::truth(context, true);
  if (!program.policy.has(MoveKind::LoadHints) || kernel.loop >= 0 || kernel.columns.empty())
    return always;
  Access condition{nullptr, {}, {}};
  auto pred = asCondition(value.inputs[0], program, condition.loaded);
  if (!pred)
    return always;
  // The columns that the condition is about.
  Pred here = substituteIndices(*pred, at, {}, program);
  if (operand == 2)
    here = index::notOf(here);
  Expr column;
  for (auto [space, merged] : llvm::zip_equal(kernel.columns, form.columns))
    if (!space.symbols.empty() && dependsOn(here, space.symbols.back())) {
      if (column || !llvm::is_contained(merged.symbols, space.symbols.back()) ||
          merged.extents != space.extents)
        return always;
      column = space.symbols.back();
    }
  llvm::ArrayRef<Expr> rows = kernel.rows.symbols;
  bool isOfRowTile =
      form.neighbouringRows &&
      llvm::any_of(rows.take_back(std::min<size_t>(form.neighbouringAxes, rows.size())),
                   [&](Expr row) { return dependsOn(here, row); });
  if (!column || isOfRowTile)
    return always;
  for (const LoadedIndex &loaded : condition.loaded) {
    // Another kernel has read what the condition is made of, where it is stored.
    if (!pointers.contains(loaded.access.from))
      return always;
    for (Expr coordinate : loaded.access.at)
      if (index::contains(substituteIndices(coordinate, at, {}, program), column))
        return always;
  }
  Access arm = resolve(value.inputs[operand], at, {}, guard);
  if (!readsAlong(Requests(program, stored, computed), arm, column))
    return always;
  // What is loaded for the condition is loaded wherever the choice is.
  condition.from = value.inputs[operand].from;
  llvm::DenseMap<Expr, Expr> names;
  (void)resolve(condition, at, {}, guard, &names);
  return widen(index::substitute(here, names), column);
}

} // namespace nereid::schedule
