// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels of contractions: a program holds tiles of sums over its rows and lanes, and adds up the
// products of tiles of the factors in a loop over the columns.
#include "schedule/KernelScope.h"

#include "schedule/Contraction.h"
#include "schedule/FoldMath.h"
#include "schedule/IndexMap.h"
#include "schedule/IndexValues.h"
#include "schedule/Pointwise.h"

using namespace mlir;

namespace nereid::schedule {

/// The tile axes: the columns stand between rows and lanes, so that both factors and their product
/// have their axes in order.
void KernelBuilder::addContractionAxes() {
  const Config &first = form.configs.front();
  for (llvm::StringRef block : {"BLOCK_M", "BLOCK_K", "BLOCK_N"})
    math.axes.push_back({block.str(), sideOf(first, block)});
  checks.emplace_back(
      index::le(index::product(context, form.columns.front().extents), (int64_t(1) << 31) - 65536),
      "a row is too long for 32-bit indices");
}

/// Binds the program to a tile of an element of the batch. Programs that lie side by side share
/// their rows.
void KernelBuilder::bindContraction(BuiltKernel &built) {
  Location loc = program.func.getLoc();
  Expr rows = index::product(context, form.rows.extents);
  Expr lanes = index::product(context, form.lanes.extents);
  built.grid.push_back(index::product(context, form.batch.extents) *
                       index::ceildiv(rows, context.symbol("BLOCK_M")) *
                       index::ceildiv(lanes, context.symbol("BLOCK_N")));
  TileValue pid{tile::ProgramIdOp::create(builder, loc, 0), {}, {}};
  TileValue ofLanes = takeBlock(pid, lanes, laneAxis);
  TileValue ofRows = form.batch.symbols.empty() ? pid : takeBlock(pid, rows, 0);
  bindAxes(form.rows, bindBlock(0, ofRows, rows, "rows", "row_mask"), root);
  bindAxes(form.lanes, bindBlock(laneAxis, ofLanes, lanes, "cols", "col_mask"), root);
  if (!form.batch.symbols.empty())
    bindOuterRows(form.batch, pid, "batch");
}

/// A factor's tile in the current step, zero beyond the end of the columns: there the other one may
/// hold anything.
TileValue KernelBuilder::factor(const Access &access, const FoldRequest &request,
                                llvm::ArrayRef<unsigned> along, Location loc) {
  TileValue tile =
      read(access, request.at, foldIndices(*request.value), index::truth(context, true), 0.0);
  bool isPadded = tile.pad == 0.0 && llvm::is_contained(tile.axes, contractionAxis);
  tile = {math.lift(tile, along, loc), {along.begin(), along.end()}, {}};
  if (isPadded)
    return tile;
  TileValue zero = math.constant(tile::getElementType(tile.value.getType()), 0, loc);
  return inBounds(contractionAxis, tile, zero, loc);
}

/// A choice by indices alone, such as that of what a transposed convolution meets: an arm is read
/// where it is chosen, so that its load has the choice for a mask.
std::optional<TileValue> KernelBuilder::chooseByIndex(const Value &value, llvm::ArrayRef<Expr> at,
                                                      Pred guard, std::optional<double> padWanted) {
  std::vector<LoadedIndex> loaded;
  std::optional<Pred> condition = asCondition(value.inputs[0], program, loaded);
  if (!condition || !loaded.empty())
    return std::nullopt;
  Location loc = plainLoc(value.loc);
  Pred when = facts.simplify(substituteIndices(*condition, at, {}, program));
  when = decide(when, guard);
  if (when.isTrue() || when.isFalse())
    return read(value.inputs[when.isTrue() ? 1 : 2], at, {}, guard, padWanted);
  TileValue chosen = read(value.inputs[1], at, {}, guard & when, padWanted);
  TileValue other = read(value.inputs[2], at, {}, guard & index::notOf(when), padWanted);
  TileValue result = math.select(predicate(when, loc), chosen, other, loc);
  if (chosen.pad == other.pad)
    result.pad = chosen.pad;
  return result;
}

void KernelBuilder::answerContractions(llvm::ArrayRef<FoldRequest> group) {
  Location loc = plainLoc(group.front().value->loc);
  llvm::SmallVector<unsigned, 2> tile = {0, laneAxis};
  Type element = builder.getF32Type();
  llvm::SmallVector<mlir::Value> initial, next;
  Location named = nameLoc("acc", loc);
  for (size_t sum = 0; sum < group.size(); ++sum)
    initial.push_back(math.lift(math.constant(element, 0, named), tile, named));
  scf::ForOp loop = openLoop(0, initial, loc);
  const ContractionAxes &axes = *kernel.contraction;
  for (auto [number, request] : llvm::enumerate(group)) {
    const Value &value = *request.value;
    Contraction factors = contractionAlong(program, stored, value, request.at, foldIndices(value),
                                           facts, form.isSwapped ? axes.right : axes.left);
    TileValue left = factor(factors.left, request, {0, contractionAxis}, loc);
    TileValue right = factor(factors.right, request, {contractionAxis, laneAxis}, loc);
    bool isFloat = tile::getElementType(left.value.getType()).isF32();
    next.push_back(tile::DotOp::create(builder, loc, left.value, right.value,
                                       loop.getRegionIterArgs()[number],
                                       isFloat ? tile::Precision::Tf32x3 : tile::Precision::Ieee));
  }
  ValueRange results = closeColumns(loop, next, loc);
  for (auto [request, result] : llvm::zip_equal(group, results)) {
    mlir::Value cast = castElements(builder, result, element, request.value->elementType,
                                    resultLoc(*request.value));
    remember(request, {cast, tile, {}});
  }
}

} // namespace nereid::schedule
