// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops over the columns of attention leave tiles out that a mask hides. Where a choice that hides
// (`graph.where` with `hides`) does not hold, scores are -inf and what is made of them is 0, which
// maxima and sums do not need. The condition, linear in the row and the column, bounds the columns
// that the rows of a program look at: a causal mask half of them, a band the few around it.
#include "schedule/kernel/KernelScope.h"

#include "graph/GraphOps.h"
#include "schedule/kernel/FoldMath.h"
#include "schedule/program/IndexMap.h"
#include "schedule/program/IndexValues.h"

#include <cmath>

using namespace mlir;

namespace nereid::schedule {

namespace {

/// What an element is where it is not visible.
enum class Hidden : uint8_t { Zero, Lowest };

struct Visible {
  Hidden otherwise;
  Pred where;
};

std::optional<Hidden> hiddenBy(const Access &access) {
  const Value *value = access.from;
  while (value->kind == ValueKind::Map && (!value->op || value->isCast()))
    value = value->inputs[0].from;
  auto constant = dyn_cast_or_null<graph::ConstantOp>(value->op);
  auto number = constant ? dyn_cast<FloatAttr>(constant.getValue()) : nullptr;
  if (value->kind != ValueKind::Constant || !number)
    return std::nullopt;
  double real = number.getValueAsDouble();
  if (real == 0)
    return Hidden::Zero;
  return real == -INFINITY ? std::optional(Hidden::Lowest) : std::nullopt;
}

/// Follows what masks hide to the terms of folds.
class VisibleTerms {
public:
  VisibleTerms(const Program &program, llvm::function_ref<bool(const Value &)> isLoaded)
      : program(program), isLoaded(isLoaded) {}

  std::optional<Visible> read(const Access &access);

private:
  std::optional<Visible> readChoice(const Access &access);
  std::optional<Visible> readProduct(const Access &a, const Access &b);
  Access operand(const Access &access, unsigned number) const {
    return compose(access.from->inputs[number], access.at, program);
  }

  const Program &program;
  llvm::function_ref<bool(const Value &)> isLoaded;
  unsigned budget = 200;
};

} // namespace

std::optional<Visible> VisibleTerms::read(const Access &access) {
  const Value &value = *access.from;
  if (!access.loaded.empty() || value.kind != ValueKind::Map || isLoaded(value) || budget == 0)
    return std::nullopt;
  --budget;
  if (!value.op || value.isCast())
    return read(operand(access, 0));
  if (isa<graph::WhereOp>(value.op))
    return readChoice(access);
  if (isa<graph::MulOp>(value.op))
    return readProduct(operand(access, 0), operand(access, 1));
  if (!isa<graph::ExpOp, graph::Exp2Op, graph::AddOp, graph::SubOp, graph::DivOp>(value.op))
    return std::nullopt;
  std::optional<Visible> first = read(operand(access, 0));
  bool isLowest = first && first->otherwise == Hidden::Lowest;
  if (isa<graph::DivOp>(value.op))
    return isLowest ? std::nullopt : first;
  if (!isLowest)
    return std::nullopt;
  if (isa<graph::ExpOp, graph::Exp2Op>(value.op))
    first->otherwise = Hidden::Zero;
  return first;
}

/// A choice by indices that hides what it does not choose; of others both arms have to be hidden.
std::optional<Visible> VisibleTerms::readChoice(const Access &access) {
  std::vector<LoadedIndex> loaded;
  bool hides = cast<graph::WhereOp>(access.from->op).getHides();
  std::optional<Pred> condition;
  if (hides)
    condition = asCondition(operand(access, 0), program, loaded);
  if (!loaded.empty())
    condition.reset();
  Access chosen = operand(access, 1), other = operand(access, 2);
  std::optional<Visible> shown = read(chosen);
  std::optional<Hidden> rest = hiddenBy(other);
  if (rest && condition) {
    bool isDeeper = shown && shown->otherwise == *rest;
    return Visible{*rest, isDeeper ? *condition & shown->where : *condition};
  }
  // As dropout chooses: what stays is hidden, or it is left out anyway.
  if (rest)
    return shown && shown->otherwise == *rest ? shown : std::nullopt;
  std::optional<Visible> second = read(other);
  if (std::optional<Hidden> first = hiddenBy(chosen))
    return second && second->otherwise == *first ? second : std::nullopt;
  if (!shown || !second || shown->otherwise != second->otherwise)
    return std::nullopt;
  return Visible{shown->otherwise, shown->where | second->where};
}

std::optional<Visible> VisibleTerms::readProduct(const Access &a, const Access &b) {
  std::optional<Visible> first = read(a), second = read(b);
  bool isFirst = first && first->otherwise == Hidden::Zero;
  bool isSecond = second && second->otherwise == Hidden::Zero;
  if (isFirst && isSecond)
    return Visible{Hidden::Zero, first->where & second->where};
  return isFirst ? first : isSecond ? second : std::nullopt;
}

/// Where the terms of folds are visible to one of them; null where they are not known to be hidden
/// from all of them anywhere.
Pred KernelBuilder::visibleTerms(llvm::ArrayRef<FoldPlan> group) {
  Pred visible = index::truth(context, false);
  for (const FoldPlan &request : group) {
    const Value &value = *request.value;
    auto isKnown = [&](const Value &other) { return isLoaded(other); };
    Access term =
        resolve(value.inputs[0], request.at, foldIndices(value), index::truth(context, true));
    std::optional<Visible> own = VisibleTerms(program, isKnown).read(term);
    graph::FoldKind kind = kindOf(value);
    bool isNeutral = own && (own->otherwise == Hidden::Zero ? kind == graph::FoldKind::Sum
                                                            : kind == graph::FoldKind::Max);
    if (!isNeutral)
      return Pred();
    visible = visible | own->where;
  }
  return visible.isTrue() ? Pred() : visible;
}

namespace {

/// The innermost of the axes of a space that have not one element alone, and whether it is the only
/// one.
struct InnerAxis {
  Expr symbol, extent;
  bool isOnly = true;
};

std::optional<InnerAxis> innerAxisOf(const Space &space) {
  std::optional<InnerAxis> axis;
  for (auto [symbol, extent] : llvm::zip_equal(space.symbols, space.extents))
    if (!extent.isConstant(1))
      axis = {symbol, extent, !axis};
  return axis;
}

/// What a condition asks of the columns: at least, or less than, a number that grows or falls with
/// the row.
struct ColumnBound {
  bool isUpper;
  int64_t slope;
  Expr rest;
};

} // namespace

/// `e >= 0` as a bound of the column; nothing where it is none.
static std::optional<ColumnBound> boundOf(Pred part, Expr row, Expr column,
                                          llvm::function_ref<bool(Expr)> isUniform) {
  if (part.getKind() != index::PredKind::NonNegative)
    return std::nullopt;
  auto ofColumn = index::asLinearIn(part.getExpr(), column);
  auto ofRow = ofColumn ? index::asLinearIn(ofColumn->rest, row) : std::nullopt;
  if (!ofRow || !isUniform(ofRow->rest))
    return std::nullopt;
  std::optional<int64_t> slope = ofRow->coefficient.getConstant();
  bool isUpper = ofColumn->coefficient.isConstant(-1);
  if (!slope || (!isUpper && !ofColumn->coefficient.isConstant(1)))
    return std::nullopt;
  return ColumnBound{isUpper, *slope, ofRow->rest};
}

/// The parts of a condition as bounds of the columns; `areAll`: there is nothing else in it.
struct ColumnBounds {
  llvm::SmallVector<ColumnBound> bounds;
  bool areAll = true;
};

static ColumnBounds boundsOf(Pred visible, const InnerAxis &row, Expr column,
                             llvm::function_ref<bool(Expr)> isUniform) {
  ColumnBounds result;
  Pred parts[] = {visible};
  bool isAll = visible.getKind() == index::PredKind::And;
  for (Pred part : isAll ? visible.getOperands() : llvm::ArrayRef(parts)) {
    auto bound = boundOf(part, row.symbol, column, isUniform);
    // Where a block goes on in the next line, the first of its rows is not the least.
    if (bound && (bound->slope >= 0 || row.isOnly))
      result.bounds.push_back(*bound);
    else
      result.areAll = false;
  }
  return result;
}

/// The columns that some row of the program looks at, as far as a condition bounds them: where they
/// start, at a whole block, and where they stop; and those that all rows look at, where these are
/// the first of them or the last. Null where it does not.
KernelBuilder::LoopBounds KernelBuilder::visibleColumns(Pred visible, unsigned columns,
                                                        Location loc) {
  LoopBounds result;
  std::optional<InnerAxis> row = innerAxisOf(form.rows),
                           column = innerAxisOf(form.columns[columns]);
  if (!row || !column || !column->isOnly)
    return result;
  TileValue block{
      tile::MetaOp::create(builder, loc, math.axes[0].block, math.axes[0].extent), {}, {}};
  // Rows of several axes are counted together, and a block may go on in the next line.
  TileValue first = rowStart;
  if (!row->isOnly)
    first = math.combineIntegers<arith::RemSIOp>(first, number(row->extent, false, loc), loc);
  Expr start = context.symbol("@row_start"), end = context.symbol("@row_end");
  current->symbols[start] = first;
  TileValue behind = math.combineIntegers<arith::AddIOp>(first, block, loc);
  current->symbols[end] = behind;
  for (index::Facts *each : {&facts, &factsOfRows}) {
    each->setRange(start, index::Range::atLeast(0));
    each->setRange(end, index::Range::atLeast(1));
    each->assume(index::lt(start, row->extent));
  }
  // The index of several axes that are gone over as one has the name of the innermost.
  auto [bounds, areAll] = boundsOf(form.merges.apply(visible), *row, column->symbol, isUniform);
  // What the furthest of the rows looks at, and the nearest.
  llvm::SmallVector<Expr> starts, stops, wholeStarts, wholeStops;
  for (const ColumnBound &bound : bounds) {
    Expr atStart = start * bound.slope + bound.rest, atEnd = (end - 1) * bound.slope + bound.rest;
    Expr furthest = bound.slope > 0 ? atEnd : atStart, nearest = bound.slope > 0 ? atStart : atEnd;
    (bound.isUpper ? stops : starts).push_back(bound.isUpper ? furthest + 1 : furthest * -1);
    (bound.isUpper ? wholeStops : wholeStarts)
        .push_back(bound.isUpper ? nearest + 1 : nearest * -1);
  }
  unsigned axis = columnAxis(columns);
  TileValue step{
      tile::MetaOp::create(builder, loc, math.axes[axis].block, math.axes[axis].extent), {}, {}};
  auto toBlock = [&](TileValue place, llvm::StringRef name) {
    TileValue turns = math.combineIntegers<arith::DivSIOp>(place, step, loc);
    return math.combineIntegers<arith::MulIOp>(turns, step, nameLoc(name, loc));
  };
  Expr zero = context.constant(0);
  if (!starts.empty()) {
    starts.push_back(zero);
    result.start = toBlock(loopBound(index::max(starts), loc), "first");
  }
  if (!stops.empty())
    result.stop = math.combineIntegers<arith::MinSIOp>(
        loopBound(index::min(stops), loc), columnBound(columns, loc), nameLoc("stop", loc));
  if (!areAll || !row->isOnly || starts.empty() == stops.empty() ||
      !form.outerColumns.symbols.empty())
    return result;
  result.isWholeBefore = starts.empty();
  Expr nearest = result.isWholeBefore ? index::min(wholeStops) : index::max(wholeStarts);
  nearest = index::max(nearest, zero);
  TileValue place = loopBound(nearest, loc);
  if (!result.isWholeBefore) {
    TileValue last = math.combineIntegers<arith::SubIOp>(step, math.integer(1, 32, loc), loc);
    place = math.combineIntegers<arith::AddIOp>(place, last, loc);
  }
  result.whole = result.wholeWithin = toBlock(place, "whole");
  // A block that begins within the columns ends behind them at most.
  if (!result.isWholeBefore || !facts.isTrue(index::le(nearest, column->extent)))
    result.wholeWithin =
        math.combineIntegers<arith::MinSIOp>(result.whole, columnBound(columns, loc), loc);
  return result;
}

KernelBuilder::Growth KernelBuilder::growthOfTurns() {
  Pred visible = visibleTerms(folds.getAll());
  std::optional<InnerAxis> row = innerAxisOf(form.rows), column = innerAxisOf(form.columns[0]);
  if (!visible || !row || !column || !row->isOnly || !column->isOnly)
    return Growth::None;
  bool grows = false, shrinks = false;
  for (const ColumnBound &bound :
       boundsOf(form.merges.apply(visible), *row, column->symbol, isUniform).bounds) {
    grows |= bound.isUpper && bound.slope > 0;
    shrinks |= !bound.isUpper && bound.slope < 0;
  }
  return grows == shrinks ? Growth::None : grows ? Growth::More : Growth::Fewer;
}

/// Whether programs run in the order of their turns, all elements of the batch for each block of
/// rows: where they are so few that the last ones are much of the time, or what they read fits into
/// the cache. On an H200 gradients of causal attention, 32 heads of 4096 rows of 64, take 1525 us
/// so and 1886 us head by head.
bool KernelBuilder::runsLongestFirst(Growth growth) const {
  constexpr double fewRounds = 8, programsTogether = 2, bytesOfElement = 2;
  if (growth == Growth::None || form.batch.symbols.empty() ||
      !program.policy.has(MoveKind::NestedContractions))
    return false;
  const Device &device = program.policy.getDevice();
  double batches = double(program.estimateElements(form.batch.extents));
  double blocks = double(program.estimateElements(form.rows.extents)) /
                  double(sideOf(form.configs.front(), "BLOCK_M"));
  double held = double(program.estimateElements(form.lanes.extents));
  for (const NestedFold &nested : kernel.contraction->nested)
    held += double(program.estimateElements(nested.terms.extents));
  double read =
      batches * double(program.estimateElements(form.columns[0].extents)) * held * bytesOfElement;
  return batches * blocks < fewRounds * programsTogether * device.multiprocessors ||
         read < device.cacheBytes;
}

} // namespace nereid::schedule
