// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Folds of a kernel, over resident tiles or in loops with accumulators.
#include "schedule/kernel/KernelScope.h"

#include "schedule/kernel/FoldMath.h"
#include "schedule/kernel/NanFlow.h"
#include "schedule/kernel/OnlineFolds.h"
#include "schedule/kernel/Pointwise.h"
#include "schedule/nest/LoopNest.h"
#include "schedule/nest/Unroll.h"
#include "schedule/program/IndexMap.h"

#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;

namespace nereid::schedule {

/// Whether a fold of no elements may be seen: it may be one, and an output has elements then.
bool KernelBuilder::showsEmptyFold(const Value &fold) const {
  // What is known of a kernel's indices holds where there is an element.
  index::Facts known(context);
  for (auto &[check, message] : program.checks)
    known.assume(check);
  auto hasElements = [&](Expr extent) { return known.isTrue(index::ge(extent, 1)); };
  if (fold.window != 0 || llvm::all_of(fold.foldExtents, hasElements))
    return false;
  return llvm::any_of(kernel.outputs, [&](const KernelOutput &output) {
    return llvm::any_of(fold.foldExtents, [&](Expr extent) {
      return !llvm::is_contained(output.value->shape, extent);
    });
  });
}

/// The indices that a fold or scan runs over, as the kernel has them.
llvm::SmallVector<Expr, 4> KernelBuilder::foldIndices(const Value &fold) const {
  return *kernel.indicesOf(fold);
}

void KernelBuilder::remember(const FoldPlan &request, TileValue value) {
  Scope::Key key{request.value,
                 {request.at.begin(), request.at.end()},
                 index::truth(context, true).getAsOpaquePointer()};
  scopeOf(request.at, Pred()).values[key] = value;
}

/// The elements that a fold over columns combines.
TileValue KernelBuilder::foldInput(const FoldPlan &request, unsigned columns, double neutral) {
  return foldInput(request, foldIndices(*request.value), columnAxis(columns), neutral);
}

/// The elements that a fold combines along an axis, in its accumulator's type, neutral beyond the
/// bounds of the axis.
TileValue KernelBuilder::foldInput(const FoldPlan &request, llvm::ArrayRef<Expr> symbols,
                                   unsigned axis, double neutral) {
  const Value &value = *request.value;
  Location loc = plainLoc(value.loc);
  TileValue input;
  if (value.kind == ValueKind::Scan) {
    llvm::SmallVector<Expr, 4> at(request.at.begin(), request.at.end());
    at[value.dim] = symbols[0];
    input = read(value.inputs[0], at, {}, index::truth(context, true), neutral);
  } else {
    input = read(value.inputs[0], request.at, symbols, index::truth(context, true), neutral);
  }
  Type element = value.inputs[0].from->elementType, accumulator = accumulatorType(element);
  input.value = castElements(builder, input.value, element, accumulator, loc);
  bool varies = llvm::is_contained(input.axes, axis);
  if (!varies) {
    llvm::SmallVector<unsigned, 2> along(input.axes);
    along.push_back(axis);
    llvm::sort(along);
    input.value = math.lift(input, along, loc);
    input.axes = along;
    input.pad = std::nullopt;
  }
  // What is known of padding holds along the columns.
  bool isOverRows = kernel.span != 0 && axis == 0;
  if (input.pad != neutral || (isOverRows && !input.value.getDefiningOp<tile::LoadOp>())) {
    TileValue fill = math.constant(tile::getSignless(accumulator), neutral, loc);
    input = inBounds(axis, input, fill, loc);
  }
  return input;
}

void KernelBuilder::answerFolds(llvm::ArrayRef<FoldPlan> group) {
  unsigned columns = columnsOf(*group.front().value);
  InScope in(*this, scopeOf(group.front().at, Pred()));
  if (kernel.contraction && kernel.contraction->haveHalves)
    answerFromHalves(group);
  else if (form.resident)
    answerFoldsResident(group, columns);
  else
    answerFoldsInLoop(group, columns);
}

/// The row-major position of an element among those that a fold combines.
static Expr positionOf(const Space &space, index::Context &context) {
  return linearize(space.symbols, space.extents, context);
}

/// That position in the 32 bits in which the places of argmax are compared: longer rows are refused
/// before the launch.
TileValue KernelBuilder::placeInFold(unsigned columns, Location loc) {
  llvm::SaveAndRestore<bool> narrow(widens, false);
  TileValue place =
      number(form.merges.apply(positionOf(kernel.columns[columns], context)), false, loc);
  Type element = tile::getElementType(place.value.getType());
  place.value = castElements(builder, place.value, element, builder.getI32Type(), loc);
  return place;
}

void KernelBuilder::answerFoldsResident(llvm::ArrayRef<FoldPlan> group, unsigned columns) {
  unsigned axis = columnAxis(columns);
  for (const FoldPlan &request : group) {
    const Value &value = *request.value;
    Location loc = resultLoc(value);
    graph::FoldKind kind = kindOf(value);
    TileValue input =
        foldInput(request, columns, neutralOf(kind, value.inputs[0].from->elementType));
    llvm::SmallVector<mlir::Value> tiles = {input.value};
    if (isArg(kind)) {
      TileValue position = placeInFold(columns, loc);
      tiles.push_back(math.lift(position, input.axes, loc));
    }
    remember(request, reduceTile(builder, value, tiles, input.axes, axis,
                                 mayDropNan(program, value, kernel, stored), loc));
  }
}

/// Where a loop starts or stops, in the 32 bits of its counter.
TileValue KernelBuilder::loopBound(Expr expr, Location loc) {
  // As the rows of a program are some, so are sizes that offsets within them are made of.
  expr = factsOfRows.simplify(expr);
  llvm::SaveAndRestore<bool> narrow(widens, false);
  return number(expr, false, loc);
}

/// A fold over a few elements, one after the other.
TileValue KernelBuilder::foldInPlace(const Value &value, llvm::ArrayRef<Expr> at, Pred guard) {
  if (kernel.strip)
    return foldInStrip(value, at, guard);
  if (std::optional<TileValue> folded = foldInTurns(value, at, guard))
    return *folded;
  Location loc = plainLoc(value.loc);
  graph::FoldKind kind = kindOf(value);
  Type element = value.inputs[0].from->elementType, accumulator = accumulatorType(element);
  bool dropNan = mayDropNan(program, value, kernel, stored);
  TileValue folded, place;
  int64_t count = 0;
  forEachIndex(value.foldExtents, context, [&](llvm::ArrayRef<Expr> indices) {
    TileValue input = read(value.inputs[0], at, indices, guard);
    input.value = castElements(builder, input.value, element, accumulator, loc);
    input.pad = std::nullopt;
    TileValue position = math.integer(count, 32, loc);
    if (count++ == 0) {
      folded = input;
      place = position;
      return;
    }
    TileValue operands[] = {input, position, folded, place};
    auto along = math.unify(operands, loc);
    auto [a, i, b, j] = operands;
    if (!isArg(kind)) {
      folded = {combine(builder, kind, accumulator, b.value, a.value, loc, dropNan), along, {}};
      return;
    }
    TileValue wins{
        argWins(builder, kind, accumulator, a.value, i.value, b.value, j.value, loc), along, {}};
    folded = math.select(wins, a, b, loc);
    place = math.select(wins, i, j, loc);
  });
  TileValue &result = isArg(kind) ? place : folded;
  result.value =
      castElements(builder, result.value, isArg(kind) ? builder.getI32Type() : accumulator,
                   value.elementType, resultLoc(value));
  return result;
}

/// The position after the last one of the columns.
TileValue KernelBuilder::columnBound(unsigned columns, Location loc) {
  const Space &space = form.columns[columns];
  if (space.segment)
    return segmentBound(columns, true, loc);
  Expr bound = index::product(context, space.extents);
  if (space.window == 0)
    return loopBound(bound, loc);
  Expr end = (space.windowIndex + 1) * space.window;
  return loopBound(index::min(end, bound), nameLoc("stop", loc));
}

/// The same with the axis of the columns that has a loop of its own.
TileValue KernelBuilder::rowBound(unsigned columns, Location loc) {
  if (form.outerColumns.symbols.empty())
    return columnBound(columns, loc);
  return loopBound(index::product(context, form.columns[columns].extents) *
                       index::product(context, form.outerColumns.extents),
                   loc);
}

/// A loop of contractions over the steps of all outer columns: one pipeline of loads, which a loop
/// for each of them would empty and fill again. On an H200 a convolution of 64 channels and 3 taps
/// takes 2890 us so, and 3145 us nested.
scf::ForOp KernelBuilder::openSteps(ValueRange initial, Location loc) {
  unsigned axis = columnAxis(0);
  Expr extent = index::product(context, form.columns[0].extents);
  Expr count = index::product(context, form.outerColumns.extents);
  TileValue block{
      tile::MetaOp::create(builder, loc, math.axes[axis].block, math.axes[axis].extent), {}, {}};
  TileValue last = math.combineIntegers<arith::SubIOp>(block, math.integer(1, 32, loc), loc);
  TileValue padded = math.combineIntegers<arith::AddIOp>(loopBound(extent, loc), last, loc);
  TileValue steps = math.combineIntegers<arith::DivSIOp>(padded, block, nameLoc("steps", loc));
  TileValue bound = math.combineIntegers<arith::MulIOp>(loopBound(count, loc), steps, loc);
  mlir::Value one = math.integer(1, 32, loc).value;
  scf::ForOp loop = enterLoop(math.integer(0, 32, loc), bound, one, initial, loc);
  TileValue step{loop.getInductionVar(), {}, {}};
  bindAxes(form.outerColumns, math.combineIntegers<arith::DivSIOp>(step, steps, loc), *current);
  TileValue own = math.combineIntegers<arith::RemSIOp>(step, steps, loc);
  bindColumns(0, math.combineIntegers<arith::MulIOp>(own, block, loc), false);
  return loop;
}

scf::ForOp KernelBuilder::openLoop(unsigned columns, ValueRange initial, Location loc,
                                   bool isReversed, const LoopBounds *bounds) {
  if (hasSteps())
    return openSteps(initial, loc);
  unsigned axis = columnAxis(columns);
  const Space &space = form.columns[columns];
  TileValue start = math.integer(0, 32, loc);
  if (space.window != 0)
    start = loopBound(space.windowIndex * space.window, loc);
  if (space.segment)
    start = segmentBound(columns, false, loc);
  llvm::SmallVector<mlir::Value> state(initial);
  if (!form.outerColumns.symbols.empty()) {
    TileValue count = loopBound(index::product(context, form.outerColumns.extents), loc);
    mlir::Value one = math.integer(1, 32, loc).value;
    scf::ForOp outer = enterLoop(start, count, one, initial, loc);
    bindAxes(form.outerColumns, {outer.getInductionVar(), {}, {}}, *current);
    state.assign(outer.getRegionIterArgs().begin(), outer.getRegionIterArgs().end());
  }
  start = bounds && bounds->start.value ? bounds->start : start;
  TileValue bound = bounds && bounds->stop.value ? bounds->stop : columnBound(columns, loc);
  scf::ForOp loop = enterLoop(start, bound, axis, state, loc);
  if (form.isWrittenOut)
    loop->setAttr(tile::staticLoopAttrName, builder.getUnitAttr());
  bindColumns(columns, TileValue{loop.getInductionVar(), {}, {}}, isReversed);
  return loop;
}

/// A loop in steps of an axis's block, as the innermost scope.
scf::ForOp KernelBuilder::enterLoop(TileValue start, TileValue bound, unsigned axis,
                                    ValueRange initial, Location loc) {
  mlir::Value step =
      tile::MetaOp::create(builder, loc, math.axes[axis].block, math.axes[axis].extent);
  return enterLoop(start, bound, step, initial, loc);
}

scf::ForOp KernelBuilder::enterLoop(TileValue start, TileValue bound, mlir::Value step,
                                    ValueRange initial, Location loc) {
  auto loop = scf::ForOp::create(builder, loc, start.value, bound.value, step, initial);
  enterScope(loop, loop.getBody());
  return loop;
}

/// A block of an operation with blocks, as the innermost scope.
void KernelBuilder::enterScope(Operation *op, Block *block) {
  if (!block->empty())
    block->back().erase();
  auto scope = std::make_unique<Scope>();
  scope->parent = current;
  scope->block = block;
  scope->next = current->inner;
  current->inner = op;
  current = scope.get();
  openScopes.push_back(std::move(scope));
  builder.setInsertionPointToEnd(current->block);
}

void KernelBuilder::closeScope(ValueRange results, Location loc) {
  scf::YieldOp::create(builder, loc, results);
  Operation *next = current->next;
  current = current->parent;
  current->inner = next;
  openScopes.pop_back();
  if (current->inner)
    builder.setInsertionPoint(current->inner);
  else
    builder.setInsertionPointToEnd(current->block);
}

ValueRange KernelBuilder::closeColumns(scf::ForOp loop, ValueRange results, Location loc) {
  closeScope(results, loc);
  if (form.outerColumns.symbols.empty() || hasSteps())
    return loop.getResults();
  auto outer = cast<scf::ForOp>(loop->getParentOp());
  closeScope(loop.getResults(), loc);
  return outer.getResults();
}

/// The accumulators of a fold before its loop. They are tiles: elements are combined lane by lane,
/// the lanes once at the end, so that no turn waits for a reduction; but for a fold that others
/// follow, whose lanes are brought together in each turn.
void KernelBuilder::initialState(const FoldPlan &request, llvm::ArrayRef<unsigned> along,
                                 llvm::SmallVectorImpl<mlir::Value> &initial) {
  graph::FoldKind kind = kindOf(*request.value);
  Type element = request.value->inputs[0].from->elementType;
  Type accumulator = tile::getSignless(accumulatorType(element));
  Location named = plainLoc(request.value->loc);
  if (hasLanes(request))
    named = nameLoc("acc", named);
  else if (request.value->isNamed)
    named = nameLoc(request.value->name + "_acc", named);
  TileValue neutral = math.constant(accumulator, neutralOf(kind, element), named);
  initial.push_back(math.lift(neutral, along, named));
  if (isArg(kind))
    initial.push_back(math.lift(math.integer(0x7fffffff, 32, named), along, named));
}

/// Combines the current turn's elements with what came before.
KernelBuilder::LoopFold KernelBuilder::foldTurn(const FoldPlan &request, unsigned columns,
                                                llvm::ArrayRef<unsigned> along, bool isReduced,
                                                ValueRange before,
                                                llvm::SmallVectorImpl<mlir::Value> &next) {
  const Value &value = *request.value;
  Location named = plainLoc(value.loc);
  graph::FoldKind kind = kindOf(value);
  Type accumulator = accumulatorType(value.inputs[0].from->elementType);
  TileValue input = foldInput(request, columns, neutralOf(kind, value.inputs[0].from->elementType));
  mlir::Value element = math.lift(input, along, named);
  if (!isArg(kind)) {
    bool dropNan = mayDropNan(program, value, kernel, stored);
    TileValue elements{element, {along.begin(), along.end()}, {}}, added = elements;
    if (isReduced)
      added = math.reduce(combinerOf(kind, accumulator, dropNan), elements, along.back(), named);
    TileValue earlier{before[next.size()], added.axes, {}}, after = earlier;
    after.value = combine(builder, kind, accumulator, earlier.value, added.value, named, dropNan);
    next.push_back(after.value);
    return {elements, earlier, after};
  }
  mlir::Value greatest = before[next.size()], greatestIndex = before[next.size() + 1];
  TileValue position = placeInFold(columns, plainLoc(value.loc));
  mlir::Value index = math.lift(position, along, named);
  mlir::Value wins =
      argWins(builder, kind, accumulator, element, index, greatest, greatestIndex, named);
  next.push_back(arith::SelectOp::create(builder, named, wins, element, greatest));
  next.push_back(arith::SelectOp::create(builder, named, wins, index, greatestIndex));
  return {};
}

void KernelBuilder::answerFoldsInLoop(llvm::ArrayRef<FoldPlan> group, unsigned columns) {
  unsigned axis = columnAxis(columns);
  Location loc = plainLoc(group.front().value->loc);
  llvm::SmallVector<unsigned, 2> along;
  if (form.tiledRows)
    along.push_back(0);
  along.push_back(axis);
  llvm::SmallVector<mlir::Value> initial, next;
  OnlineFolds online(*this, group, columns, along);
  llvm::ArrayRef<unsigned> rest = llvm::ArrayRef(along).drop_back();
  llvm::SmallVector<unsigned, 2> tile = {0, axis + 1};
  // Beside the tiles of nested contractions registers are scarce.
  auto isReduced = [&](const FoldPlan &request) {
    return online.isReference(request) || (isNested() && !isArg(kindOf(*request.value)));
  };
  auto axesOf = [&](const FoldPlan &request) {
    return hasLanes(request) ? llvm::ArrayRef(tile) : isReduced(request) ? rest : along;
  };
  for (const FoldPlan &request : group)
    if (!request.cascade)
      initialState(request, axesOf(request), initial);
  online.open(initial);
  // A turn of the loop, between bounds.
  auto makeTurns = [&](ValueRange before, const LoopBounds &bounds) {
    next.clear();
    scf::ForOp loop = openLoop(columns, before, loc, false, &bounds);
    for (auto [argument, start] : llvm::zip_equal(loop.getRegionIterArgs(), initial))
      argument.setLoc(start.getLoc());
    for (const FoldPlan &request : group) {
      if (request.cascade)
        continue;
      if (hasLanes(request))
        next.push_back(contractionTurn(request, loop.getRegionIterArgs()[next.size()]));
      else
        online.follow(request, foldTurn(request, columns, along, isReduced(request),
                                        loop.getRegionIterArgs(), next));
    }
    online.turn(loop.getRegionIterArgs(), next);
    if (storing && storing->folds.front()->value == group.front().value)
      for (const KernelOutput *output : std::exchange(storing, nullptr)->outputs)
        store(*output);
    return closeColumns(loop, next, loc);
  };
  Pred visible = isNested() ? visibleTerms(group) : Pred();
  LoopBounds bounds = visible ? visibleColumns(visible, columns, loc) : LoopBounds();
  ValueRange results;
  if (!bounds.whole.value) {
    results = makeTurns(initial, bounds);
  } else {
    // Where all is visible nothing is hidden.
    LoopBounds first = bounds, second = bounds;
    first.stop = bounds.wholeWithin;
    second.start = bounds.whole;
    std::optional<Assumption> assumption;
    if (bounds.isWholeBefore)
      assumption.emplace(*this, visible);
    results = makeTurns(initial, first);
    assumption.reset();
    if (!bounds.isWholeBefore)
      assumption.emplace(*this, visible);
    results = makeTurns(results, second);
  }
  unsigned result = 0;
  for (const FoldPlan &request : group) {
    if (request.cascade)
      continue;
    Location named = resultLoc(*request.value);
    llvm::SmallVector<mlir::Value> tiles = {results[result++]};
    if (hasLanes(request) || isReduced(request)) {
      llvm::ArrayRef<unsigned> own = axesOf(request);
      Type accumulator = accumulatorType(request.value->inputs[0].from->elementType);
      mlir::Value cast =
          castElements(builder, tiles[0], accumulator, request.value->elementType, named);
      remember(request, {cast, {own.begin(), own.end()}, {}});
      continue;
    }
    if (isArg(kindOf(*request.value)))
      tiles.push_back(results[result++]);
    remember(request, reduceTile(builder, *request.value, tiles, along, axis,
                                 mayDropNan(program, *request.value, kernel, stored), named));
  }
  online.close(results);
}

} // namespace nereid::schedule
