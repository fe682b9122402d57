// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "schedule/kernel/TileValue.h"

#include "mlir/IR/Matchers.h"

#include <cmath>

using namespace mlir;

namespace nereid::schedule {

Type TileMath::tileType(Type element, llvm::ArrayRef<unsigned> along) const {
  llvm::SmallVector<int64_t> shape;
  llvm::SmallVector<llvm::StringRef> names;
  for (unsigned axis : along) {
    shape.push_back(axes[axis].extent);
    names.push_back(axes[axis].block);
  }
  return tile::getTileType(element, shape, names);
}

mlir::Value TileMath::lift(const TileValue &value, llvm::ArrayRef<unsigned> along, Location loc) {
  if (llvm::equal(value.axes, along))
    return value.value;
  Type element = tile::getElementType(value.value.getType());
  if (value.axes.empty())
    return tile::SplatOp::create(builder, loc, tileType(element, along), value.value);
  mlir::Value result = value.value;
  llvm::SmallVector<int64_t> shape;
  llvm::SmallVector<llvm::StringRef> names;
  for (unsigned axis : value.axes) {
    shape.push_back(axes[axis].extent);
    names.push_back(axes[axis].block);
  }
  for (auto [position, axis] : llvm::enumerate(along)) {
    if (llvm::is_contained(value.axes, axis))
      continue;
    shape.insert(shape.begin() + position, 1);
    names.insert(names.begin() + position, "");
    result = tile::ExpandDimsOp::create(builder, loc, tile::getTileType(element, shape, names),
                                        result, position);
  }
  return tile::BroadcastOp::create(builder, loc, tileType(element, along), result);
}

llvm::SmallVector<unsigned, 2> TileMath::unify(llvm::MutableArrayRef<TileValue> values,
                                               Location loc) {
  llvm::SmallVector<unsigned, 2> along;
  for (const TileValue &value : values)
    for (unsigned axis : value.axes)
      if (!llvm::is_contained(along, axis))
        along.push_back(axis);
  llvm::sort(along);
  for (TileValue &value : values) {
    value.value = lift(value, along, loc);
    value.axes = along;
  }
  return along;
}

TileValue TileMath::constant(Type element, double number, Location loc) {
  TypedAttr attr;
  if (auto type = dyn_cast<FloatType>(element)) {
    attr = builder.getFloatAttr(type, number);
  } else {
    unsigned width = element.getIntOrFloatBitWidth();
    // 2**64 - 1 is the greatest unsigned number: all bits.
    int64_t integer = number >= 1.8e19    ? -1
                      : number >= 9.2e18  ? INT64_MAX
                      : number <= -9.2e18 ? INT64_MIN
                                          : int64_t(number);
    attr = builder.getIntegerAttr(element, llvm::APInt(64, integer, true).sextOrTrunc(width));
  }
  return {arith::ConstantOp::create(builder, loc, attr), {}, number};
}

TileValue TileMath::integer(int64_t number, unsigned width, Location loc) {
  return {arith::ConstantOp::create(builder, loc,
                                    builder.getIntegerAttr(builder.getIntegerType(width), number)),
          {},
          std::nullopt};
}

TileValue TileMath::reduce(tile::Combiner combiner, TileValue tile, unsigned axis, Location loc) {
  Type element = tile::getElementType(tile.value.getType());
  unsigned dim = llvm::find(tile.axes, axis) - tile.axes.begin();
  llvm::SmallVector<unsigned, 2> rest(tile.axes);
  rest.erase(rest.begin() + dim);
  auto reduce = tile::ReduceOp::create(builder, loc, TypeRange{tileType(element, rest)},
                                       ValueRange{tile.value}, dim);
  tile::buildCombiner(reduce.getCombine(), combiner, {element}, loc);
  return {reduce.getResult(0), rest, std::nullopt};
}

TileValue TileMath::widen(TileValue value, unsigned width, Location loc) {
  Type element = tile::getElementType(value.value.getType());
  if (element.getIntOrFloatBitWidth() >= width)
    return value;
  llvm::APInt number;
  if (value.axes.empty() && matchPattern(value.value, m_ConstantInt(&number)))
    return integer(number.getSExtValue(), width, loc);
  Type type = tile::withElementType(value.value.getType(), builder.getIntegerType(width));
  value.value = arith::ExtSIOp::create(builder, loc, type, value.value);
  return value;
}

void TileMath::widenToCommon(TileValue &a, TileValue &b, Location loc) {
  unsigned width = std::max(tile::getElementType(a.value.getType()).getIntOrFloatBitWidth(),
                            tile::getElementType(b.value.getType()).getIntOrFloatBitWidth());
  // The name is for the result, not for what is made of its operands.
  if (auto named = dyn_cast<NameLoc>(loc))
    loc = named.getChildLoc();
  a = widen(a, width, loc);
  b = widen(b, width, loc);
}

TileValue TileMath::compare(arith::CmpIPredicate predicate, TileValue a, TileValue b,
                            Location loc) {
  widenToCommon(a, b, loc);
  TileValue operands[] = {a, b};
  auto along = unify(operands, loc);
  return {arith::CmpIOp::create(builder, loc, predicate, operands[0].value, operands[1].value),
          along, std::nullopt};
}

TileValue TileMath::logicalAnd(TileValue a, TileValue b, Location loc) {
  return combineIntegers<arith::AndIOp>(a, b, loc);
}

TileValue TileMath::logicalOr(TileValue a, TileValue b, Location loc) {
  return combineIntegers<arith::OrIOp>(a, b, loc);
}

TileValue TileMath::select(TileValue condition, TileValue a, TileValue b, Location loc) {
  TileValue operands[] = {condition, a, b};
  auto along = unify(operands, loc);
  return {arith::SelectOp::create(builder, loc, operands[0].value, operands[1].value,
                                  operands[2].value),
          along, std::nullopt};
}

} // namespace nereid::schedule
