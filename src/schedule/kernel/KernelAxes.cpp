// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The positions along its axes that a program has, or goes over.
#include "schedule/kernel/KernelBuilder.h"

#include "schedule/kernel/KernelScope.h"
#include "schedule/program/AxisCuts.h"

#include "tile/Instance.h"

using namespace mlir;

namespace nereid::schedule {

/// Binds each axis of a space to its part of a linear position.
void KernelBuilder::bindAxes(const Space &space, TileValue position, Scope &scope) {
  Location loc = program.func.getLoc();
  if (space.symbols.size() > 1) {
    Expr symbol = context.symbol("@p" + space.symbols.front().getName().drop_front().str());
    scope.symbols[symbol] = position;
    if (llvm::none_of(positions, [&](auto &bound) { return bound.first == symbol; }))
      positions.emplace_back(symbol, space);
  }
  Expr inner = context.constant(1);
  mlir::Operation *fine = nullptr;
  for (unsigned i = space.symbols.size(); i-- > 0;) {
    TileValue index = position;
    // An axis is called as its size is, in lower case.
    Location named = loc;
    Expr extent = program.sizeForms.outward(space.extents[i]);
    if (space.symbols.size() > 1 && extent.isSymbol())
      named = nameLoc(extent.getName().lower(), loc);
    if (!inner.isConstant(1))
      index = math.combineIntegers<arith::DivSIOp>(index, number(inner, false, loc),
                                                   i == 0 ? named : loc);
    if (!inner.isConstant(1) && !position.axes.empty()) {
      mlir::Operation *coarse = index.value.getDefiningOp();
      if (fine)
        quotients.push_back({coarse, fine, index.axes, space.extents[i + 1]});
      fine = coarse;
    }
    if (i != 0)
      index =
          math.combineIntegers<arith::RemSIOp>(index, number(space.extents[i], false, loc), named);
    scope.symbols[space.symbols[i]] = index;
    inner = inner * space.extents[i];
  }
}

/// The last tile axis, where there are pairs.
void KernelBuilder::bindPair() {
  if (!kernel.paired)
    return;
  math.axes.push_back({"", 2});
  Type pair = math.tileType(builder.getI32Type(), {pairAxis()});
  Location loc = program.func.getLoc();
  root.symbols[kernel.paired] = {tile::RangeOp::create(builder, loc, pair, 0), {pairAxis()}, {}};
}

void KernelBuilder::bindFlat() {
  Location loc = program.func.getLoc();
  const Space &space = form.columns.front();
  // One axis left: the position is the offset, in 64 bits. Several: divisions, so 32 bits, unless
  // the program is meant for tensors that need more.
  Expr extent = index::product(context, space.extents);
  bool wide = space.symbols.size() <= 1 || program.estimate(extent) > longest32;
  math.axes.push_back({"BLOCK", form.configs.front().blocks.front().second});
  TileValue start{tile::ProgramIdOp::create(builder, loc, 0), {}, {}};
  if (wide)
    start = math.widen(start, 64, loc);
  TileValue block{tile::MetaOp::create(builder, loc, "BLOCK", math.axes[0].extent), {}, {}};
  start = math.combineIntegers<arith::MulIOp>(start, block, loc);
  Type type = math.tileType(builder.getI32Type(), {0});
  TileValue range{tile::RangeOp::create(builder, loc, type, 0), {0}, {}};
  TileValue offsets = math.combineIntegers<arith::AddIOp>(start, range, nameLoc("offsets", loc));
  TileValue bound = extent.isConstant() ? number(extent, false, loc) : parameter(extent, loc);
  axisMasks[0] = math.compare(arith::CmpIPredicate::slt, offsets, bound, nameLoc("mask", loc));
  bindAxes(space, offsets, root);
  bindPair();
  if (!wide)
    checks.emplace_back(index::le(extent, longest32),
                        "2**31 elements or more: convert at such sizes");
}

Expr KernelBuilder::longestColumns() const {
  Expr longest = context.constant(1);
  for (const Space &space : form.columns)
    longest = index::max(longest, index::product(context, space.extents));
  return longest;
}

/// The fewest rows that a program holds, whichever configuration is taken.
Expr KernelBuilder::leastRowsTogether() const {
  if (form.resident)
    return index::max(context.constant(1), index::floordiv(context.constant(form.residentElements),
                                                           index::nextPow2(longestColumns())));
  int64_t least = form.configs.front().blocks.front().second;
  for (const Config &config : form.configs)
    least = std::min(least, config.blocks.front().second);
  return context.constant(least);
}

/// How many rows a program holds at the typical sizes; gives the wrapper's expression for it to
/// `built`.
int64_t KernelBuilder::rowsTogether(BuiltKernel *built) {
  Expr longest = longestColumns();
  if (built)
    built->meta.emplace_back("BLOCK_M", leastRowsTogether());
  int64_t block = *index::nextPowerOfTwo(std::max<int64_t>(1, program.estimate(longest)));
  return std::max<int64_t>(1, form.residentElements / block);
}

/// The positions of a block along a tile axis of so many elements.
TileValue KernelBuilder::bindBlock(unsigned axis, TileValue number, Expr extent,
                                   llvm::StringRef name, llvm::StringRef mask) {
  Location loc = program.func.getLoc();
  auto &[size, side] = math.axes[axis];
  TileValue block{tile::MetaOp::create(builder, loc, size, side), {}, {}};
  TileValue start = math.combineIntegers<arith::MulIOp>(number, block, loc);
  TileValue range{
      tile::RangeOp::create(builder, loc, math.tileType(builder.getI32Type(), {axis}), 0),
      {axis},
      {}};
  TileValue positions = math.combineIntegers<arith::AddIOp>(start, range, nameLoc(name, loc));
  axisMasks[axis] = math.compare(arith::CmpIPredicate::slt, positions,
                                 this->number(extent, false, loc), nameLoc(mask, loc));
  checks.emplace_back(index::le(extent, (int64_t(1) << 31) - 65536),
                      "an axis is too long for 32-bit indices");
  return positions;
}

/// The positions of a block of rows.
void KernelBuilder::bindRowBlock(TileValue number, Expr extent) {
  rowPositions = bindBlock(0, number, extent, "rows", "row_mask");
}

/// How many blocks an axis has.
TileValue KernelBuilder::countBlocks(Expr extent, unsigned axis) {
  Location loc = program.func.getLoc();
  TileValue block{
      tile::MetaOp::create(builder, loc, math.axes[axis].block, math.axes[axis].extent), {}, {}};
  TileValue last = math.combineIntegers<arith::SubIOp>(block, math.integer(1, 32, loc), loc);
  TileValue padded = math.combineIntegers<arith::AddIOp>(number(extent, false, loc), last, loc);
  return math.combineIntegers<arith::DivSIOp>(
      padded, block,
      nameLoc(math.axes[axis].block == "BLOCK_M" ? "row_blocks" : "column_blocks", loc));
}

/// Takes the number of a block of an axis off a program's number.
TileValue KernelBuilder::takeBlock(TileValue &program, Expr extent, unsigned axis) {
  Location loc = this->program.func.getLoc();
  TileValue count = countBlocks(extent, axis);
  TileValue own = math.combineIntegers<arith::RemSIOp>(program, count, loc);
  program = math.combineIntegers<arith::DivSIOp>(program, count, loc);
  return own;
}

/// Takes the number of the block of columns of a map on tiles; returns how many there are.
Expr KernelBuilder::takeColumnBlock(TileValue &program) {
  Expr columns = index::product(context, form.columns.front().extents);
  columnBlock = takeBlock(program, columns, columnAxis(0));
  return index::ceildiv(columns, context.symbol("BLOCK_N"));
}

/// Binds the columns of a map on tiles to the program's block of them.
void KernelBuilder::bindColumnBlock() {
  Location loc = program.func.getLoc();
  TileValue block{tile::MetaOp::create(builder, loc, "BLOCK_N", math.axes[1].extent), {}, {}};
  bindColumns(0, math.combineIntegers<arith::MulIOp>(columnBlock, block, loc));
}

/// Binds the rows to the program: it has one, or a block of them. Short rows that are held together
/// are counted over all row axes; blocks of rows that are neighbours in memory lie within the
/// innermost ones. The grid has one axis, which is the one that may be long.
void KernelBuilder::bindRows(BuiltKernel &built) {
  Location loc = program.func.getLoc();
  TileValue pid{tile::ProgramIdOp::create(builder, loc, 0), {}, {}};
  Expr all = index::product(context, form.rows.extents);
  Space rows = form.rows;
  if (form.firstAxisFastest) {
    Expr first = rows.extents.front();
    TileValue count = number(first, false, loc);
    Location named = loc;
    if (Expr size = program.sizeForms.outward(first); size.isSymbol())
      named = nameLoc(size.getName().lower(), loc);
    TileValue own = math.combineIntegers<arith::RemSIOp>(pid, count, named);
    root.symbols[rows.symbols.front()] = math.widen(own, 64, named);
    pid = math.combineIntegers<arith::DivSIOp>(pid, count, loc);
    rows.symbols.erase(rows.symbols.begin());
    rows.extents.erase(rows.extents.begin());
    all = index::product(context, rows.extents);
  }
  if (!form.tiledRows) {
    built.grid.push_back(index::product(context, form.rows.extents));
    if (!rows.symbols.empty())
      bindOuterRows(rows, pid, "row");
    return;
  }
  if (form.resident)
    (void)rowsTogether(&built);
  if (!form.neighbouringRows) {
    Expr programs = index::ceildiv(all, context.symbol("BLOCK_M"));
    if (form.firstAxisFastest)
      programs = form.rows.extents.front() * programs;
    if (form.columnsOutermost) {
      Expr columns = index::product(context, form.columns.front().extents);
      programs = programs * index::ceildiv(columns, context.symbol("BLOCK_N"));
      TileValue block = takeBlock(pid, all, 0);
      columnBlock = std::exchange(pid, block);
    } else if (kernel.isTiledMap()) {
      programs = programs * takeColumnBlock(pid);
    }
    built.grid.push_back(programs);
    bindRowBlock(pid, all);
    bindAxes(rows, rowPositions, root);
    return;
  }
  Space outer = form.rows, inner;
  size_t first = outer.symbols.size() - form.neighbouringAxes;
  for (; outer.symbols.size() > first; outer.symbols.pop_back(), outer.extents.pop_back()) {
    inner.symbols.insert(inner.symbols.begin(), outer.symbols.back());
    inner.extents.insert(inner.extents.begin(), outer.extents.back());
  }
  Expr extent = index::product(context, inner.extents);
  Expr programs = index::ceildiv(extent, context.symbol("BLOCK_M"));
  if (kernel.isTiledMap())
    programs = programs * takeColumnBlock(pid);
  built.grid.push_back(index::product(context, outer.extents) * programs);
  TileValue block = outer.symbols.empty() ? pid : takeBlock(pid, extent, 0);
  bindRowBlock(block, extent);
  bindAxes(inner, rowPositions, root);
  if (!outer.symbols.empty())
    bindOuterRows(outer, pid, "group");
}

void KernelBuilder::bindOuterRows(const Space &rows, TileValue number, llvm::StringRef name) {
  // Windows of a fold are counted in 32 bits, as the positions in them are.
  if (llvm::none_of(form.columns, [](const Space &space) { return space.window != 0; }))
    number = math.widen(number, 64, nameLoc(name, program.func.getLoc()));
  bindAxes(rows, number, root);
}

/// Whether the block of resident columns has no positions beyond them.
bool KernelBuilder::fillsBlock(const Space &space) const {
  std::optional<int64_t> extent = index::product(context, space.extents).getConstant();
  return form.resident && !space.isPart() && extent && llvm::isPowerOf2_64(*extent);
}

/// Binds a column space to the positions from `start` on, in the current scope; counted from the
/// last one when it is gone over backwards.
void KernelBuilder::bindColumns(unsigned columns, TileValue start, bool isReversed) {
  Location loc = program.func.getLoc();
  const Space &space = form.columns[columns];
  unsigned axis = columnAxis(columns);
  llvm::StringRef name = kernel.contraction ? "ks" : "cols";
  Location rangeLoc = start.value ? loc : nameLoc(name, loc);
  TileValue range{
      tile::RangeOp::create(builder, rangeLoc, math.tileType(builder.getI32Type(), {axis}), 0),
      {axis},
      {}};
  TileValue cols =
      start.value ? math.combineIntegers<arith::AddIOp>(start, range, nameLoc(name, loc)) : range;
  // Beside rows, `mask` is that of both.
  llvm::StringRef maskName = kernel.contraction                   ? "k_mask"
                             : axisMasks.contains(0) && axis != 0 ? "col_mask"
                                                                  : "mask";
  // What is read before the loop is there only where the loop has a turn, which no even number
  // says.
  bool isOfTurn = bool(start.value);
  if (kernel.contraction && !space.isPart() && isOfTurn)
    maskUnlessEven(axis,
                   math.compare(arith::CmpIPredicate::slt, cols, columnBound(columns, loc), loc),
                   index::divisible(index::product(context, space.extents), evenStep()), maskName);
  else if (!fillsBlock(space))
    axisMasks[axis] = math.compare(arith::CmpIPredicate::slt, cols, columnBound(columns, loc),
                                   nameLoc(maskName, loc));
  // The end of a segment is data; what it is held by is said apart, for proofs.
  if (space.segment) {
    TileValue extent = number(index::product(context, space.extents), false, loc);
    TileValue exists = math.compare(arith::CmpIPredicate::slt, cols, extent, loc);
    axisMasks[axis] = math.logicalAnd(axisMasks[axis], exists, nameLoc(maskName, loc));
  }
  if (isReversed) {
    TileValue last = math.combineIntegers<arith::SubIOp>(columnBound(columns, loc),
                                                         math.integer(1, 32, loc), loc);
    cols = math.combineIntegers<arith::SubIOp>(last, cols, nameLoc("cols", loc));
  }
  bindAxes(space, cols, *current);
}

} // namespace nereid::schedule
