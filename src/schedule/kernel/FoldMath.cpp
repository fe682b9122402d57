// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "schedule/kernel/FoldMath.h"

#include "schedule/kernel/Pointwise.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace nereid::schedule {

tile::Combiner combinerOf(graph::FoldKind kind, Type element, bool dropNan) {
  bool isFloat = isa<FloatType>(element), isUnsigned = element.isUnsignedInteger();
  switch (kind) {
  case graph::FoldKind::Sum:
    return tile::Combiner::Sum;
  case graph::FoldKind::Prod:
    return tile::Combiner::Prod;
  case graph::FoldKind::Max:
  case graph::FoldKind::Any:
    return isFloat && dropNan ? tile::Combiner::MaxNum
           : isFloat          ? tile::Combiner::Max
           : isUnsigned       ? tile::Combiner::UMax
                              : tile::Combiner::SMax;
  case graph::FoldKind::Min:
  case graph::FoldKind::All:
    return isFloat && dropNan ? tile::Combiner::MinNum
           : isFloat          ? tile::Combiner::Min
           : isUnsigned       ? tile::Combiner::UMin
                              : tile::Combiner::SMin;
  default:
    llvm_unreachable("arg* and logsum have a combiner of their own");
  }
}

/// max + log1p(exp(-distance)): no exponential is of a number above 0, so none overflows, and what
/// lies far below all others still counts where it is alone.
static mlir::Value addExponentials(OpBuilder &builder, mlir::Value a, mlir::Value b, Location loc) {
  Type type = a.getType(), element = tile::getElementType(type);
  mlir::Value zero =
      arith::ConstantOp::create(builder, loc, builder.getFloatAttr(element, 0.0)).getResult();
  if (type != element)
    zero = tile::SplatOp::create(builder, loc, type, zero);
  mlir::Value greatest = arith::MaximumFOp::create(builder, loc, a, b);
  mlir::Value distance =
      math::AbsFOp::create(builder, loc, arith::SubFOp::create(builder, loc, a, b));
  // Infinities less themselves are no distance.
  mlir::Value isSame =
      arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OEQ, a, b).getResult();
  distance = arith::SelectOp::create(builder, loc, isSame, zero,
                                     arith::NegFOp::create(builder, loc, distance));
  mlir::Value share = math::ExpOp::create(builder, loc, distance);
  return arith::AddFOp::create(builder, loc, greatest, math::Log1pOp::create(builder, loc, share));
}

void buildFoldRegion(OpBuilder &builder, Region &region, graph::FoldKind kind, Type element,
                     Location loc, bool dropNan) {
  Type plain = tile::getSignless(element);
  if (kind != graph::FoldKind::Logsum)
    return tile::buildCombiner(region, combinerOf(kind, element, dropNan), {plain}, loc);
  OpBuilder::InsertionGuard guard(builder);
  Block *block = builder.createBlock(&region, {}, {plain, plain}, {loc, loc});
  mlir::Value sum =
      combine(builder, kind, element, block->getArgument(0), block->getArgument(1), loc, dropNan);
  tile::YieldOp::create(builder, loc, ValueRange{sum});
}

mlir::Value combine(OpBuilder &builder, graph::FoldKind kind, Type element, mlir::Value a,
                    mlir::Value b, Location loc, bool dropNan) {
  if (kind == graph::FoldKind::Logsum)
    return addExponentials(builder, a, b, loc);
  switch (combinerOf(kind, element, dropNan)) {
  case tile::Combiner::Sum:
    if (isa<FloatType>(element))
      return arith::AddFOp::create(builder, loc, a, b);
    return arith::AddIOp::create(builder, loc, a, b);
  case tile::Combiner::Prod:
    if (isa<FloatType>(element))
      return arith::MulFOp::create(builder, loc, a, b);
    return arith::MulIOp::create(builder, loc, a, b);
  case tile::Combiner::Max:
    return arith::MaximumFOp::create(builder, loc, a, b);
  case tile::Combiner::MaxNum:
    return arith::MaxNumFOp::create(builder, loc, a, b);
  case tile::Combiner::MinNum:
    return arith::MinNumFOp::create(builder, loc, a, b);
  case tile::Combiner::Min:
    return arith::MinimumFOp::create(builder, loc, a, b);
  case tile::Combiner::SMax:
    return arith::MaxSIOp::create(builder, loc, a, b);
  case tile::Combiner::SMin:
    return arith::MinSIOp::create(builder, loc, a, b);
  case tile::Combiner::UMax:
    return arith::MaxUIOp::create(builder, loc, a, b);
  case tile::Combiner::UMin:
    return arith::MinUIOp::create(builder, loc, a, b);
  default:
    llvm_unreachable("combinerOf gives no others");
  }
}

mlir::Value argWins(OpBuilder &builder, graph::FoldKind kind, Type element, mlir::Value a,
                    mlir::Value i, mlir::Value b, mlir::Value j, Location loc) {
  bool max = kind == graph::FoldKind::Argmax;
  auto smaller = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, i, j);
  mlir::Value better, equal;
  if (isa<FloatType>(element)) {
    auto compare = [&](arith::CmpFPredicate predicate, mlir::Value x,
                       mlir::Value y) -> mlir::Value {
      return arith::CmpFOp::create(builder, loc, predicate, x, y);
    };
    mlir::Value aNan = compare(arith::CmpFPredicate::UNE, a, a),
                bNan = compare(arith::CmpFPredicate::UNE, b, b);
    mlir::Value ahead = compare(max ? arith::CmpFPredicate::OGT : arith::CmpFPredicate::OLT, a, b);
    mlir::Value bothNan = arith::AndIOp::create(builder, loc, aNan, bNan);
    // A NaN wins over a number; `aNan > bNan` as bits.
    mlir::Value nanAhead =
        arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ugt, aNan, bNan);
    better = arith::OrIOp::create(builder, loc, ahead, nanAhead);
    equal = arith::OrIOp::create(builder, loc, compare(arith::CmpFPredicate::OEQ, a, b), bothNan);
  } else {
    bool isUnsigned = element.isUnsignedInteger();
    auto predicate = max ? (isUnsigned ? arith::CmpIPredicate::ugt : arith::CmpIPredicate::sgt)
                         : (isUnsigned ? arith::CmpIPredicate::ult : arith::CmpIPredicate::slt);
    better = arith::CmpIOp::create(builder, loc, predicate, a, b);
    equal = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, a, b);
  }
  mlir::Value tie = arith::AndIOp::create(builder, loc, equal, smaller);
  return arith::OrIOp::create(builder, loc, better, tie);
}

TileValue reduceTile(OpBuilder &builder, const Value &value, llvm::ArrayRef<mlir::Value> tiles,
                     llvm::ArrayRef<unsigned> axes, unsigned axis, bool dropNan, Location loc) {
  graph::FoldKind kind = kindOf(value);
  Type accumulator = accumulatorType(value.inputs[0].from->elementType);
  TileValue result;
  unsigned dim = llvm::find(axes, axis) - axes.begin();
  for (unsigned other : axes)
    if (other != axis)
      result.axes.push_back(other);
  llvm::SmallVector<Type> types;
  llvm::SmallVector<Type> elements;
  for (mlir::Value operand : tiles) {
    auto type = cast<RankedTensorType>(operand.getType());
    llvm::SmallVector<int64_t> shape(type.getShape());
    shape.erase(shape.begin() + dim);
    llvm::SmallVector<llvm::StringRef> names;
    for (unsigned i = 0; i < type.getRank(); ++i)
      if (i != dim)
        names.push_back(tile::getDimName(type, i));
    types.push_back(tile::getTileType(type.getElementType(), shape, names));
    elements.push_back(type.getElementType());
  }
  auto reduce = tile::ReduceOp::create(builder, loc, types, tiles, dim);
  if (!isArg(kind)) {
    buildFoldRegion(builder, reduce.getCombine(), kind, accumulator, loc, dropNan);
    result.value = castElements(builder, reduce.getResult(0), accumulator, value.elementType, loc);
    return result;
  }
  OpBuilder::InsertionGuard guard(builder);
  Block *block = builder.createBlock(&reduce.getCombine());
  for (int side = 0; side < 2; ++side)
    for (Type element : elements)
      block->addArgument(element, loc);
  mlir::Value a = block->getArgument(0), i = block->getArgument(1), b = block->getArgument(2),
              j = block->getArgument(3);
  mlir::Value wins = argWins(builder, kind, accumulator, a, i, b, j, loc);
  mlir::Value number = arith::SelectOp::create(builder, loc, wins, a, b);
  mlir::Value index = arith::SelectOp::create(builder, loc, wins, i, j);
  tile::YieldOp::create(builder, loc, ValueRange{number, index});
  builder.setInsertionPointAfter(reduce);
  result.value =
      castElements(builder, reduce.getResult(1), builder.getI32Type(), value.elementType, loc);
  return result;
}

} // namespace nereid::schedule
