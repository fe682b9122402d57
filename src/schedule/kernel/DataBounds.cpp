// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Places that are data: searches in sorted lines, folds over the segments that they bound, and
// scatters.
#include "schedule/kernel/KernelScope.h"

#include "graph/GraphOps.h"
#include "schedule/kernel/Pointwise.h"
#include "schedule/program/IndexMap.h"

using namespace mlir;

namespace nereid::schedule {

/// Bounds are held within the axis, whatever the data say: every position between them exists.
TileValue KernelBuilder::segmentBound(unsigned columns, bool end, Location loc) {
  auto [known, isNew] = segmentBounds.try_emplace({columns, end});
  if (!isNew)
    return known->second;
  const Space &space = form.columns[columns];
  InScope in(*this, root);
  Location named = nameLoc(end ? "stop" : "start", loc);
  Expr bound = names.nameOf(space.segment->inputs[end ? 2 : 1], space.segmentIndex, {},
                            index::truth(context, true));
  Expr length = index::product(context, space.extents);
  checks.emplace_back(index::le(length, (int64_t(1) << 31) - 65536),
                      "an axis is too long for 32-bit indices");
  Expr held = index::max(index::min(bound, length), context.constant(0));
  TileValue result = number(held, false, named);
  result.value = castElements(builder, result.value, tile::getElementType(result.value.getType()),
                              builder.getI32Type(), named);
  return segmentBounds[{columns, end}] = result;
}

/// Whether a key lies before a value; NaN is greater than every number.
static mlir::Value liesBefore(OpBuilder &builder, Type element, mlir::Value a, mlir::Value b,
                              Location loc) {
  if (!isa<FloatType>(element)) {
    bool isSigned = !element.isUnsignedInteger() && !element.isInteger(1);
    return arith::CmpIOp::create(
        builder, loc, isSigned ? arith::CmpIPredicate::slt : arith::CmpIPredicate::ult, a, b);
  }
  mlir::Value less = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OLT, a, b);
  mlir::Value isNumber = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OEQ, a, a);
  mlir::Value isNan = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::UNE, b, b);
  mlir::Value behind = arith::AndIOp::create(builder, loc, isNumber, isNan);
  return arith::OrIOp::create(builder, loc, less, behind);
}

/// The axes along which what a search looks for, or the line that it looks at, varies.
llvm::SmallVector<unsigned, 2> KernelBuilder::searchAxes(const TileValue &wanted,
                                                         llvm::ArrayRef<Expr> line, Expr place,
                                                         Location loc) {
  llvm::SmallVector<unsigned, 2> along(wanted.axes);
  for (Expr coordinate : line) {
    if (index::contains(coordinate, place))
      continue;
    for (unsigned axis : number(coordinate, false, loc).axes)
      if (!llvm::is_contained(along, axis))
        along.push_back(axis);
  }
  llvm::sort(along);
  return along;
}

/// The count after a turn: greater by `step` where the key that would be the last one counted lies
/// before the value.
TileValue KernelBuilder::searchTurn(const Value &value, llvm::ArrayRef<Expr> at, Pred guard,
                                    Expr place, TileValue wanted, TileValue count, TileValue step) {
  Location loc = plainLoc(value.loc);
  bool right = cast<graph::SearchOp>(value.op).getRight();
  TileValue next = math.combineIntegers<arith::AddIOp>(count, step, nameLoc("next", loc));
  current->symbols[place] =
      math.combineIntegers<arith::SubIOp>(next, math.integer(1, 64, loc), nameLoc("place", loc));
  Pred exists = index::ge(place, 0) & index::lt(place, value.foldExtents[0]);
  TileValue key = read(value.inputs[0], at, {place}, guard & exists);
  TileValue operands[] = {right ? wanted : key, right ? key : wanted};
  auto axes = math.unify(operands, loc);
  mlir::Value isBefore = liesBefore(builder, value.inputs[1].from->elementType, operands[0].value,
                                    operands[1].value, loc);
  if (right) {
    mlir::Value truth = math.lift(math.integer(1, 1, loc), axes, loc);
    isBefore = arith::XOrIOp::create(builder, loc, isBefore, truth);
  }
  TileValue counts = math.logicalAnd(predicate(exists, loc), {isBefore, axes, {}}, loc);
  return math.select(counts, next, count, nameLoc("count", loc));
}

/// The count grows by powers of two, the greatest first.
TileValue KernelBuilder::search(const Value &value, llvm::ArrayRef<Expr> at, Pred guard) {
  // Lines are shorter than 2^31 elements.
  constexpr int64_t turns = 31;
  Location loc = plainLoc(value.loc), countLoc = nameLoc("count", loc);
  TileValue wanted = read(value.inputs[1], at, {}, guard);
  Expr place = context.symbol("@place" + std::to_string(searches++));
  auto along = searchAxes(wanted, resolve(value.inputs[0], at, {place}, guard).at, place, loc);
  checks.emplace_back(index::le(value.foldExtents[0], (int64_t(1) << 31) - 65536),
                      "a line is too long to be searched");

  mlir::Value none = math.lift(math.integer(0, 64, countLoc), along, countLoc);
  TileValue zero = math.integer(0, 32, loc), one = math.integer(1, 32, loc),
            end = math.integer(turns, 32, loc);
  scf::ForOp loop = enterLoop(zero, end, one.value, none, loc);
  TileValue turn = math.widen({loop.getInductionVar(), {}, {}}, 64, loc);
  TileValue greatest = math.integer(int64_t(1) << (turns - 1), 64, loc);
  TileValue step = math.combineIntegers<arith::ShRSIOp>(greatest, turn, nameLoc("step", loc));
  TileValue next =
      searchTurn(value, at, guard, place, wanted, {loop.getRegionIterArgs()[0], along, {}}, step);
  closeScope(math.lift(next, along, loc), loc);
  mlir::Value result = castElements(builder, loop.getResult(0), builder.getI64Type(),
                                    value.elementType, resultLoc(value));
  return {result, along, {}};
}

static tile::RmwKind atomicOf(graph::FoldKind kind, Type element) {
  bool isUnsigned = element.isUnsignedInteger();
  switch (kind) {
  case graph::FoldKind::Sum:
    return isa<FloatType>(element) ? tile::RmwKind::FAdd : tile::RmwKind::Add;
  case graph::FoldKind::Max:
    return isUnsigned ? tile::RmwKind::UMax : tile::RmwKind::Max;
  case graph::FoldKind::Min:
    return isUnsigned ? tile::RmwKind::UMin : tile::RmwKind::Min;
  default:
    llvm_unreachable("graph::lowerScatters leaves no other scatter");
  }
}

/// The memory holds what the fold of nothing is; each update is combined with it where it stands.
void KernelBuilder::storeScatter(const KernelOutput &output) {
  const Value &value = *output.value;
  Location loc = plainLoc(value.loc);
  Pred always = index::truth(context, true);
  Expr place = names.nameOf(value.inputs[1], output.at, {}, always);
  Pred exists = index::ge(place, 0) & index::lt(place, value.shape[value.dim]);
  TileValue update = read(value.inputs[0], output.at, {}, always);
  llvm::SmallVector<Expr, 4> at(output.at);
  at[value.dim] = place;
  assumed = exists;
  TileValue pointer = address(value, at, loc);
  assumed = Pred();
  TileValue condition = predicate(exists, loc);
  // Lanes beyond the bounds have no update, also where the place is one for all.
  llvm::SmallVector<unsigned, 2> all;
  for (unsigned axis = 0; axis < math.axes.size(); ++axis)
    all.push_back(axis);
  if (std::optional<TileValue> mask = boundsMask(all, loc))
    condition = math.logicalAnd(*mask, condition, loc);
  TileValue operands[] = {pointer, update, condition};
  (void)math.unify(operands, loc);
  auto op = cast<graph::ScatterOp>(value.op);
  tile::AtomicRmwOp::create(builder, loc, operands[1].value.getType(),
                            atomicOf(op.getKind(), value.elementType), operands[0].value,
                            operands[1].value, operands[2].value, tile::MemSem::Relaxed,
                            tile::MemScope::Gpu);
}

} // namespace nereid::schedule
