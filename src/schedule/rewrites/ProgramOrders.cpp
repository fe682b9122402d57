// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "schedule/rewrites/ProgramOrders.h"

#include "graph/GraphOps.h"
#include "schedule/nest/Contraction.h"
#include "schedule/program/FoldKinds.h"
#include "schedule/rewrites/Relayouts.h"

using namespace mlir;

namespace nereid::schedule {

/// Loops and what has to be lowered first stay as they are.
ProgramOrders::ProgramOrders(func::FuncOp func, const Policy &policy, AxesByFunction &known)
    : known(known) {
  bool isPlain = !func.walk([](Operation *op) {
                        bool isOther = isa<graph::LoopOp, graph::ScatterOp, graph::SortOp>(op);
                        return isOther ? WalkResult::interrupt() : WalkResult::advance();
                      })
                      .wasInterrupted();
  ScopedDiagnosticHandler silent(func.getContext(), [](mlir::Diagnostic &) { return success(); });
  program.policy = policy;
  if (!isPlain || failed(buildProgram(func, program)))
    return;
  wasRead = true;
  addWishes();
}

void ProgramOrders::addWishes() {
  llvm::SmallVector<Value *> folds;
  for (Value &value : program.values) {
    forEachAccess(value, [&](Access &access) { reads[access.from].push_back({&value, &access}); });
    if (value.kind == ValueKind::Fold)
      folds.push_back(&value);
  }
  for (const Value *fold : folds) {
    auto contraction = asContraction(program, *fold, {});
    if (!contraction || !fillsTiles(sizesOf(program, *fold, *contraction)))
      continue;
    products.insert(fold);
    auto [left, right] = axesOfFactors(program, *fold, *contraction);
    if (left)
      ofProducts[contraction->left.from].push_back(*left);
    if (right)
      ofProducts[contraction->right.from].push_back(*right);
  }
}

/// Whether a coordinate goes on by one where an index does.
bool ProgramOrders::goesBy(Expr coordinate, unsigned index) const {
  auto linear = index::asLinearIn(coordinate, program.getIndex(index));
  return linear && linear->coefficient.isConstant(1);
}

/// Through maps, and functions that take it as it is.
std::optional<unsigned> ProgramOrders::wishOfReader(const Value &value, const Read &read) {
  const Value &reader = *read.reader;
  if (auto apply = dyn_cast_or_null<graph::ApplyOp>(reader.op); apply && reader.dim == 0) {
    auto axes = known.find(apply.getFunction());
    for (auto [number, input] : llvm::enumerate(reader.inputs))
      if (&input == read.access && axes != known.end() && input.at.size() == value.shape.size())
        return axes->second.arguments[number];
    return std::nullopt;
  }
  if (reader.kind != ValueKind::Map && reader.kind != ValueKind::Select)
    return std::nullopt;
  std::optional<unsigned> own = wishOf(reader);
  if (!own)
    return std::nullopt;
  for (unsigned axis = 0; axis < read.access->at.size(); ++axis)
    if (goesBy(read.access->at[axis], *own))
      return axis;
  return std::nullopt;
}

std::optional<unsigned> ProgramOrders::wishOf(const Value &value) {
  if (value.shape.size() < leastRank)
    return std::nullopt;
  auto [place, isNew] = wishes.try_emplace(&value, std::nullopt);
  if (!isNew)
    return place->second;
  llvm::SmallVector<unsigned, 4> votes(value.shape.size(), 0);
  for (unsigned axis : ofProducts.lookup(&value))
    ++votes[axis];
  for (const Read &read : reads.lookup(&value))
    if (std::optional<unsigned> axis = wishOfReader(value, read))
      ++votes[*axis];
  unsigned axis = llvm::max_element(votes) - votes.begin();
  bool isLast = llvm::all_of(llvm::drop_begin(value.shape, axis + 1),
                             [](Expr extent) { return extent.isConstant(1); });
  std::optional<unsigned> wish;
  if (votes[axis] > 0 && !isLast && votes[axis] > votes.back())
    wish = axis;
  wishes[&value] = wish;
  return wish;
}

bool ProgramOrders::isFree(const Value &value, unsigned axis) {
  if (products.contains(&value) || isa_and_nonnull<graph::ApplyOp>(value.op))
    return true;
  if (value.kind == ValueKind::Input)
    return known.find(program.func)->second.arguments[value.argument] == axis;
  bool isOfLanes = value.kind == ValueKind::Fold && areFew(value.foldExtents);
  if (value.kind != ValueKind::Map && value.kind != ValueKind::Select && !isOfLanes)
    return false;
  auto [place, isNew] = free.try_emplace({&value, axis}, false);
  if (!isNew)
    return place->second;
  // What is repeated is in the cache, along whatever axis it lies; statistics of the products
  // themselves have programs of their own, which go along what they fold.
  constexpr int64_t mostRepeats = 8;
  bool hasAny = false, areAll = true;
  forEachAccess(value, [&](const Access &access) {
    const Value &from = *access.from;
    if (mostRepeats * program.estimateElements(from.shape) <
        program.estimateElements(value.shape)) {
      areAll = areAll && !isMadeOfProducts(from);
      return;
    }
    hasAny = true;
    const Expr *along = llvm::find_if(access.at, [&](Expr at) { return goesBy(at, axis); });
    areAll = areAll && access.loaded.empty() && along != access.at.end() &&
             isFree(from, along - access.at.begin());
  });
  return free[{&value, axis}] = hasAny && areAll;
}

bool ProgramOrders::isMadeOfProducts(const Value &value) {
  auto [place, isNew] = ofProduct.try_emplace(&value, products.contains(&value));
  if (!isNew || place->second)
    return place->second;
  bool isAny = false;
  forEachAccess(value, [&](const Access &access) { isAny |= isMadeOfProducts(*access.from); });
  return ofProduct[&value] = isAny;
}

MovedAxes ProgramOrders::wishesOfArguments() {
  MovedAxes axes(program.arguments.size());
  for (const Value *argument : program.arguments)
    if (argument && argument->kind == ValueKind::Input)
      axes[argument->argument] = wishOf(*argument);
  return axes;
}

} // namespace nereid::schedule
