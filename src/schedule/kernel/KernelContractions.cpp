// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels of contractions: a program holds tiles of sums over its rows and lanes, and adds up the
// products of tiles of the factors in a loop over the columns. What is nested in their terms is a
// tile of rows and columns in each turn.
#include "schedule/kernel/KernelScope.h"

#include "schedule/kernel/FoldMath.h"
#include "schedule/kernel/Pointwise.h"
#include "schedule/nest/Contraction.h"
#include "schedule/program/IndexMap.h"
#include "schedule/program/IndexValues.h"

using namespace mlir;

namespace nereid::schedule {

/// An axis that a program holds whole.
void KernelBuilder::addHeldAxis(BuiltKernel &built, llvm::StringRef name, const Space &space) {
  Expr length = index::product(context, space.extents);
  int64_t block = heldBlock(program.estimate(length));
  bool isNumber = length.isConstant();
  math.axes.push_back({isNumber ? "" : name.str(), block});
  if (!isNumber)
    built.meta.emplace_back(name,
                            index::nextPow2(index::max(length, context.constant(shortestSide))));
}

void KernelBuilder::addContractionAxes(BuiltKernel &built) {
  const Config &first = form.configs.front();
  auto add = [&](llvm::StringRef block) {
    math.axes.push_back({block.str(), sideOf(first, block)});
  };
  add("BLOCK_M");
  llvm::SmallVector<Expr, 2> lengths;
  for (const NestedFold &nested : kernel.contraction->nested) {
    Expr length = index::product(context, nested.terms.extents);
    size_t known = llvm::find(lengths, length) - lengths.begin();
    nestedAxes.push_back(1 + known);
    if (known < lengths.size())
      continue;
    lengths.push_back(length);
    addHeldAxis(built, known == 0 ? "BLOCK_D" : "BLOCK_D" + std::to_string(known + 1),
                nested.terms);
  }
  heldTerms = lengths.size();
  add("BLOCK_K");
  if (!isNested())
    add("BLOCK_N");
  else if (!form.lanes.symbols.empty())
    addHeldAxis(built, "BLOCK_N", form.lanes);
  checks.emplace_back(
      index::le(index::product(context, form.columns.front().extents), (int64_t(1) << 31) - 65536),
      "a row is too long for 32-bit indices");
}

/// Binds an axis that a program holds whole.
void KernelBuilder::bindHeld(unsigned axis, const Space &space, llvm::StringRef name,
                             llvm::StringRef mask) {
  Location loc = program.func.getLoc();
  Type type = math.tileType(builder.getI32Type(), {axis});
  TileValue range{tile::RangeOp::create(builder, nameLoc(name, loc), type, 0), {axis}, {}};
  Expr length = index::product(context, space.extents);
  if (!length.isConstant(math.axes[axis].extent)) {
    // Lanes keep their mask: without it the keys' gradient takes 817 us for 582 on an H200.
    Expr block = index::nextPow2(index::max(length, context.constant(shortestSide)));
    Pred even = axis == laneAxis() ? index::truth(context, false) : index::eq(length, block);
    maskUnlessEven(axis,
                   math.compare(arith::CmpIPredicate::slt, range, number(length, false, loc), loc),
                   even, mask);
  }
  bindAxes(space, range, root);
}

/// A number that all blocks of the columns divide.
int64_t KernelBuilder::evenStep() const {
  int64_t step = 1;
  for (const Config &config : form.configs)
    step = std::lcm(step, sideOf(config, "BLOCK_K"));
  return step;
}

/// Masks the lanes of an axis beyond its end, where its blocks do not come out even. The launch
/// says whether they do: on an H200 the three kernels of attention's gradients take 1800 us so, and
/// 2793 us with masks.
void KernelBuilder::maskUnlessEven(unsigned axis, TileValue inside, Pred even,
                                   llvm::StringRef name) {
  Location loc = program.func.getLoc(), named = nameLoc(name, loc);
  if (facts.isTrue(even)) {
    axisMasks.erase(axis);
    return;
  }
  llvm::StringRef block = math.axes[axis].block;
  if (!program.policy.has(MoveKind::EvenBlocks) || even.isFalse() ||
      !block.consume_front("BLOCK_")) {
    inside.value.getDefiningOp()->setLoc(named);
    axisMasks[axis] = inside;
    return;
  }
  std::string flag = ("EVEN_" + block).str();
  mlir::Value isEven =
      tile::MetaOp::create(builder, loc, builder.getStringAttr(flag), builder.getBoolAttr(true));
  axisMasks[axis] = math.logicalOr(inside, {isEven, {}, {}}, named);
  if (llvm::none_of(conditions, [&](const auto &known) { return known.first == flag; }))
    conditions.emplace_back(flag, even);
}

/// Binds the program to a tile of an element of the batch. Programs that lie side by side share
/// their rows.
void KernelBuilder::bindContraction(BuiltKernel &built) {
  Location loc = program.func.getLoc();
  Expr rows = index::product(context, form.rows.extents);
  Expr lanes = index::product(context, form.lanes.extents);
  Expr programs =
      index::product(context, form.batch.extents) * index::ceildiv(rows, context.symbol("BLOCK_M"));
  if (!isNested())
    programs = programs * index::ceildiv(lanes, context.symbol("BLOCK_N"));
  built.grid.push_back(programs);
  TileValue pid{tile::ProgramIdOp::create(builder, loc, 0), {}, {}};
  TileValue ofLanes;
  if (!isNested())
    ofLanes = takeBlock(pid, lanes, laneAxis());
  TileValue ofRows = pid;
  Space batch = form.batch;
  if (Growth growth = isNested() ? growthOfTurns() : Growth::None; runsLongestFirst(growth)) {
    TileValue batches = number(index::product(context, form.batch.extents), false, loc);
    ofRows = math.combineIntegers<arith::DivSIOp>(pid, batches, loc);
    batch.symbols.insert(batch.symbols.begin(), context.symbol("@row_block"));
    batch.extents.insert(batch.extents.begin(), index::ceildiv(rows, context.symbol("BLOCK_M")));
    if (growth == Growth::More) {
      TileValue one = math.integer(1, 32, loc);
      TileValue last = math.combineIntegers<arith::SubIOp>(countBlocks(rows, 0), one, loc);
      ofRows = math.combineIntegers<arith::SubIOp>(last, ofRows, loc);
    }
  } else if (!form.batch.symbols.empty()) {
    ofRows = takeBlock(pid, rows, 0);
  }
  bindAxes(form.rows, bindBlock(0, ofRows, rows, "rows", "row_mask"), root);
  mlir::Value block = tile::MetaOp::create(builder, loc, math.axes[0].block, math.axes[0].extent);
  rowStart = math.combineIntegers<arith::MulIOp>(ofRows, {block, {}, {}}, loc);
  if (!isNested())
    bindAxes(form.lanes, bindBlock(laneAxis(), ofLanes, lanes, "cols", "col_mask"), root);
  else if (!form.lanes.symbols.empty())
    bindHeld(laneAxis(), form.lanes, "cols", "col_mask");
  if (isNested())
    for (auto [nested, axis] : llvm::zip_equal(kernel.contraction->nested, nestedAxes))
      bindHeld(axis, nested.terms, "terms", "term_mask");
  if (!batch.symbols.empty())
    bindOuterRows(batch, pid, batch.symbols == form.batch.symbols ? "batch" : "pid_64");
}

/// Whether some of what a tile is made of has neighbours in memory along an axis of the kernel, or
/// is read at parts of its positions.
static bool hasNeighbours(const Requests &requests, Expr axis) {
  return llvm::any_of(requests.getAll(), [&](const Request &request) {
    bool isAlong = !request.at.empty() && index::contains(request.at.back(), axis);
    return request.isLoad && (isAlong || !llvm::all_of(request.at, [&](Expr coordinate) {
                                return index::asLinearIn(coordinate, axis).has_value();
                              }));
  });
}

/// A factor's coordinates with those of its side held within it: rows beyond the last one are the
/// last one again, whose products nobody stores, and their loads need no mask. Nothing where
/// neighbours in memory lie along the side, whose loads would fall apart. On an H200 a product of
/// 4096 x 4096 bfloat16 takes 207 us so, and 231 us with masks.
std::optional<Access> KernelBuilder::heldWithin(const Access &own, unsigned side) {
  const Space &space = side == 0 ? form.rows : form.lanes;
  if (!program.policy.has(MoveKind::EvenBlocks) || space.symbols.size() != 1)
    return std::nullopt;
  Expr symbol = space.symbols.front();
  // The index of several axes that are gone over as one has the name of the innermost.
  auto row = llvm::find(kernel.rows.symbols, symbol);
  if (row == kernel.rows.symbols.end() ||
      kernel.rows.extents[row - kernel.rows.symbols.begin()] != space.extents.front())
    return std::nullopt;
  Requests parts(program, stored, computed);
  bool isPlain = parts.add(*own.from, own.at, [](const Value &, llvm::ArrayRef<Expr>) {
    return std::optional<llvm::SmallVector<Expr, 4>>();
  });
  if (!isPlain || hasNeighbours(parts, symbol))
    return std::nullopt;
  Expr held = context.symbol(("@held" + llvm::Twine(side)).str());
  if (!root.symbols.contains(held)) {
    InScope in(*this, root);
    Location loc = program.func.getLoc();
    Expr extent = space.extents.front();
    TileValue one = math.integer(1, 32, loc);
    TileValue last =
        extent.isConstant()
            ? number(extent - 1, false, loc)
            : math.combineIntegers<arith::SubIOp>(number(extent, false, loc), one, loc);
    root.symbols[held] = math.combineIntegers<arith::MinSIOp>(root.symbols.at(symbol), last, loc);
    for (index::Facts *each : {&facts, &factsOfRows}) {
      each->setRange(held, index::Range::atLeast(0));
      each->assume(index::lt(held, extent));
    }
  }
  Access within = own;
  for (Expr &coordinate : within.at)
    coordinate = index::substitute(coordinate, {{symbol, held}});
  return within;
}

TileValue KernelBuilder::factor(const Access &access, llvm::ArrayRef<Expr> at,
                                llvm::ArrayRef<Expr> over, llvm::ArrayRef<unsigned> along,
                                unsigned terms, Pred guard, Location loc) {
  Access own = resolve(access, at, over, guard);
  // What is summed within a nested contraction is bound outside of the loop.
  InScope in(*this, terms == columnAxis(0) ? *current : scopeOf(own.at, guard));
  unsigned side = along.front() == terms ? along.back() : along.front();
  std::optional<Access> held = isNested() ? std::nullopt : heldWithin(own, side);
  TileValue tile;
  if (held) {
    std::map<unsigned, TileValue> outside = axisMasks;
    axisMasks.erase(side);
    tile = request(*held->from, held->at, guard, 0.0);
    axisMasks = std::move(outside);
  } else {
    tile = request(*own.from, own.at, guard, 0.0);
  }
  bool isPadded = tile.pad == 0.0 && llvm::is_contained(tile.axes, terms);
  tile = {math.lift(tile, along, loc), {along.begin(), along.end()}, {}};
  if (isPadded)
    return tile;
  TileValue zero = math.constant(tile::getElementType(tile.value.getType()), 0, loc);
  return inBounds(terms, tile, zero, loc);
}

/// The sum and the products of two tiles. Products of float32 are three of TF32, or one, if both
/// may be rounded to it and the launch says so.
mlir::Value KernelBuilder::multiply(TileValue left, TileValue right, mlir::Value sum,
                                    bool mayBeTf32, Location loc) {
  bool isFloat = tile::getElementType(left.value.getType()).isF32();
  return tile::DotOp::create(builder, loc, left.value, right.value, sum,
                             !isFloat    ? tile::Precision::Ieee
                             : mayBeTf32 ? tile::Precision::Launched
                                         : tile::Precision::Tf32x3);
}

/// What a contraction adds to its sums in a turn of the loop.
mlir::Value KernelBuilder::contractionTurn(const FoldPlan &request, mlir::Value before) {
  const Value &value = *request.value;
  Location loc = plainLoc(value.loc);
  const ContractionAxes &axes = *kernel.contraction;
  llvm::SmallVector<Expr, 4> over = foldIndices(value);
  Contraction factors = contractionAlong(program, stored, value, request.at, over, facts,
                                         form.isSwapped ? axes.right : axes.left);
  unsigned columns = columnAxis(0);
  Pred always = index::truth(context, true);
  TileValue left = factor(factors.left, request.at, over, {0, columns}, columns, always, loc);
  TileValue right =
      factor(factors.right, request.at, over, {columns, laneAxis()}, columns, always, loc);
  return multiply(left, right, before, factors.mayBeTf32, loc);
}

/// Where a nested contraction has elements, as far as it is not known: what chooses between it and
/// others looks at it everywhere. Of the conditions those that vary along the columns, or not.
Pred KernelBuilder::insideOf(const Value &value, llvm::ArrayRef<Expr> at, bool alongColumns) {
  Pred inside = index::truth(context, true);
  for (auto [coordinate, extent] : llvm::zip_equal(at, value.shape)) {
    bool varies = llvm::any_of(kernel.columns.front().symbols,
                               [&](Expr symbol) { return index::contains(coordinate, symbol); });
    Pred within = index::ge(coordinate, 0) & index::lt(coordinate, extent);
    if (varies == alongColumns && !facts.isTrue(within))
      inside = inside & within;
  }
  return inside;
}

/// A tile of rows and columns of a nested contraction.
TileValue KernelBuilder::nestedTile(const Value &value, llvm::ArrayRef<Expr> at) {
  Location loc = plainLoc(value.loc);
  const ContractionAxes &axes = *kernel.contraction;
  size_t number =
      llvm::find_if(axes.nested, [&](const NestedFold &nested) { return nested.fold == &value; }) -
      axes.nested.begin();
  unsigned terms = nestedAxes[number], columns = columnAxis(0);
  llvm::SmallVector<Expr, 4> over = foldIndices(value);
  Contraction factors = contractionAlong(program, stored, value, at, over, facts, axes.left);
  TileValue left =
      factor(factors.left, at, over, {0, terms}, terms, insideOf(value, at, false), loc);
  TileValue right =
      factor(factors.right, at, over, {terms, columns}, terms, insideOf(value, at, true), loc);
  llvm::SmallVector<unsigned, 2> tile = {0, columns};
  Type element = builder.getF32Type();
  mlir::Value none = math.lift(math.constant(element, 0, loc), tile, loc);
  mlir::Value sum = multiply(left, right, none, factors.mayBeTf32, loc);
  return {castElements(builder, sum, element, value.elementType, resultLoc(value)), tile, {}};
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

} // namespace nereid::schedule
