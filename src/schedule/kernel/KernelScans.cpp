// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scans of a kernel: prefixes of resident rows, or of blocks in a loop that carries what came
// before.
#include "schedule/kernel/KernelScope.h"

#include "schedule/kernel/FoldMath.h"
#include "schedule/kernel/Pointwise.h"
#include "schedule/program/IndexMap.h"

using namespace mlir;

namespace nereid::schedule {

/// The elements some places behind those along `axis`; nothing stands before the first one. Their
/// prefixes are the scan's as many places behind.
TileValue KernelBuilder::elementsBehind(const Value &value, llvm::ArrayRef<Expr> at, unsigned axis,
                                        double neutral) {
  Location loc = plainLoc(value.loc);
  Pred isInside = index::ge(at[value.dim], 0);
  TileValue input = read(value.inputs[0], at, {}, isInside, neutral);
  Type element = value.inputs[0].from->elementType, accumulator = accumulatorType(element);
  input.value = castElements(builder, input.value, element, accumulator, loc);
  TileValue mask = predicate(isInside, loc);
  if (std::optional<TileValue> bounds = boundsMask(axis, loc))
    mask = math.logicalAnd(*bounds, mask, loc);
  TileValue fill = math.constant(tile::getSignless(accumulator), neutral, loc);
  return math.select(mask, input, fill, loc);
}

/// A tile of the elements along `axis`, and where the scan starts again, as 0 and 1; nothing where
/// it never does.
KernelBuilder::ScanTiles KernelBuilder::scanInput(const Value &value, llvm::ArrayRef<Expr> at) {
  Location loc = resultLoc(value);
  unsigned columns = columnsOf(value);
  FoldPlan request{&value, {at.begin(), at.end()}};
  ScanTiles tiles;
  double neutral = neutralOf(kindOf(value), value.elementType);
  if (at[value.dim] != foldIndices(value)[0]) {
    tiles.elements = elementsBehind(value, at, columnAxis(columns), neutral);
    return tiles;
  }
  tiles.elements = foldInput(request, columns, neutral);
  if (value.inputs.size() < 2)
    return tiles;
  llvm::SmallVector<Expr, 4> inner(at);
  inner[value.dim] = foldIndices(value)[0];
  TileValue resets = read(value.inputs[1], inner, {}, index::truth(context, true), 0.0);
  if (std::optional<TileValue> mask = boundsMask(columnAxis(columns), loc))
    resets = math.logicalAnd(*mask, resets, loc);
  resets.value =
      castElements(builder, resets.value, builder.getI1Type(), builder.getI32Type(), loc);
  TileValue operands[] = {tiles.elements, resets};
  (void)math.unify(operands, loc);
  tiles.elements = operands[0];
  tiles.resets = operands[1];
  return tiles;
}

/// The prefixes along a dimension of tiles; where the scan starts again, also whether it did so by
/// then.
KernelBuilder::ScanTiles KernelBuilder::scanTiles(const Value &value, const ScanTiles &input,
                                                  unsigned axis, bool isReversed) {
  Location loc = resultLoc(value);
  graph::FoldKind kind = kindOf(value);
  Type accumulator = accumulatorType(value.elementType);
  unsigned dim = llvm::find(input.elements.axes, axis) - input.elements.axes.begin();
  llvm::SmallVector<mlir::Value, 2> tiles = {input.elements.value};
  if (input.resets)
    tiles.push_back(input.resets->value);
  llvm::SmallVector<Type, 2> types(ValueRange(tiles).getTypes());
  auto scan = tile::ScanOp::create(builder, loc, types, tiles, dim, isReversed);
  ScanTiles result{{scan.getResult(0), input.elements.axes, std::nullopt}, {}};
  Type element = tile::getElementType(types[0]);
  if (!input.resets) {
    buildFoldRegion(builder, scan.getCombine(), kind, accumulator, loc);
    return result;
  }
  OpBuilder::InsertionGuard guard(builder);
  Type flag = builder.getI32Type();
  Block *block = builder.createBlock(&scan.getCombine(), {}, {element, flag, element, flag},
                                     {loc, loc, loc, loc});
  mlir::Value before = block->getArgument(0), own = block->getArgument(2);
  mlir::Value reset = block->getArgument(3);
  mlir::Value either = arith::OrIOp::create(builder, loc, block->getArgument(1), reset);
  mlir::Value none = arith::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(0));
  mlir::Value starts = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, reset, none);
  mlir::Value both = combine(builder, kind, accumulator, before, own, loc);
  mlir::Value next = arith::SelectOp::create(builder, loc, starts, own, both);
  tile::YieldOp::create(builder, loc, ValueRange{next, either});
  result.resets = TileValue{scan.getResult(1), input.elements.axes, std::nullopt};
  return result;
}

/// The prefixes of a resident row.
TileValue KernelBuilder::scan(const Value &value, llvm::ArrayRef<Expr> at, Pred guard) {
  unsigned axis = columnAxis(columnsOf(value));
  ScanTiles prefixes = scanTiles(value, scanInput(value, at), axis, value.isReversed);
  TileValue result = prefixes.elements;
  result.value = castElements(builder, result.value, accumulatorType(value.elementType),
                              value.elementType, resultLoc(value));
  return result;
}

/// Whether a column is the last of its block.
TileValue KernelBuilder::lastOfBlock(unsigned axis, Location loc) {
  TileValue lanes{
      tile::RangeOp::create(builder, loc, math.tileType(builder.getI32Type(), {axis}), 0),
      {axis},
      {}};
  TileValue block{
      tile::MetaOp::create(builder, loc, math.axes[axis].block, math.axes[axis].extent), {}, {}};
  TileValue last = math.combineIntegers<arith::SubIOp>(block, math.integer(1, 32, loc), loc);
  return math.compare(arith::CmpIPredicate::eq, lanes, last, nameLoc("is_last", loc));
}

/// What a block hands on to the next one: the prefix of its last column.
mlir::Value KernelBuilder::carryOf(const Value &value, const ScanTiles &input,
                                   const TileValue &prefixes, const TileValue &carry,
                                   unsigned axis) {
  Location plain = plainLoc(value.loc), named = nameLoc("carry", plain);
  graph::FoldKind kind = kindOf(value);
  Type accumulator = accumulatorType(value.elementType);
  auto fold = [&](const TileValue &tile) {
    Type element = tile::getElementType(tile.value.getType());
    unsigned dim = llvm::find(tile.axes, axis) - tile.axes.begin();
    auto total = tile::ReduceOp::create(
        builder, named, TypeRange{math.tileType(element, carry.axes)}, ValueRange{tile.value}, dim);
    buildFoldRegion(builder, total.getCombine(), kind, accumulator, plain);
    return total.getResult(0);
  };
  if (!form.tiledRows && !input.resets)
    return combine(builder, kind, accumulator, carry.value, fold(input.elements), named);
  // Triton 3.6 fails an assertion where a loop adds up a fold of tiles and nothing reads the sum
  // behind the loop.
  TileValue neutral =
      math.constant(tile::getSignless(accumulator), neutralOf(kind, value.elementType), named);
  return fold(math.select(lastOfBlock(axis, plain), prefixes, neutral, plain));
}

/// A scan in a loop: each block's prefixes are combined with the fold of all blocks before it.
void KernelBuilder::storeScanInLoop(const KernelOutput &output) {
  const Value &value = *output.value;
  Location loc = resultLoc(value), plain = plainLoc(value.loc), named = nameLoc("carry", loc);
  unsigned columns = columnsOf(value), axis = columnAxis(columns);
  graph::FoldKind kind = kindOf(value);
  Type accumulator = accumulatorType(value.elementType);
  llvm::SmallVector<unsigned, 2> along;
  if (form.tiledRows)
    along.push_back(0);
  TileValue neutral =
      math.constant(tile::getSignless(accumulator), neutralOf(kind, value.elementType), named);
  scf::ForOp loop = openLoop(columns, {math.lift(neutral, along, named)}, plain, value.isReversed);
  if (form.turnsAhead != 0)
    loop->setAttr("tile.num_stages", builder.getI64IntegerAttr(form.turnsAhead));
  TileValue carry{loop.getRegionIterArgs()[0], along, std::nullopt};
  ScanTiles input = scanInput(value, output.at);
  along.push_back(axis);
  auto spread = [&](TileValue &tile) { tile = {math.lift(tile, along, loc), along, std::nullopt}; };
  spread(input.elements);
  if (input.resets)
    spread(*input.resets);
  // A reversed loop has turned the columns round.
  ScanTiles own = scanTiles(value, input, axis, /*isReversed=*/false);
  mlir::Value before = math.lift(carry, along, loc);
  TileValue prefixes{combine(builder, kind, accumulator, before, own.elements.value, loc), along,
                     std::nullopt};
  if (own.resets) {
    TileValue isApart =
        math.compare(arith::CmpIPredicate::ne, *own.resets, math.integer(0, 32, loc), loc);
    prefixes = math.select(isApart, own.elements, prefixes, loc);
  }
  TileValue rounded = prefixes;
  rounded.value = castElements(builder, prefixes.value, accumulator, value.elementType, loc);
  Scope::Key key{&value,
                 {output.at.begin(), output.at.end()},
                 index::truth(context, true).getAsOpaquePointer()};
  current->values[key] = rounded;
  store(output);
  closeScope({carryOf(value, input, prefixes, carry, axis)}, plain);
}

} // namespace nereid::schedule
