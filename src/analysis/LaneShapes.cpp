// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operators of the tile dialect on one lane: which lane of the operand a lane of the result is.
#include "analysis/LaneValues.h"

#include "tile/TileOps.h"
#include "tile/TileTypes.h"

using namespace mlir;

namespace nereid::analysis {

LaneValue LaneValues::program(Operation *op) {
  LaneValue result;
  result.kind = LaneValue::Kind::Integer;
  if (auto id = dyn_cast<tile::ProgramIdOp>(op)) {
    result.expr = programIds[id.getAxis()];
    return result;
  }
  if (auto count = dyn_cast<tile::NumProgramsOp>(op)) {
    bool given = size_t(count.getAxis()) < contract.grid.size();
    result.expr = given ? contract.grid[count.getAxis()] : context.constant(1);
    return result;
  }
  auto meta = mlir::cast<tile::MetaOp>(op);
  if (auto known = contract.conditions.find(context.symbol(meta.getName()));
      known != contract.conditions.end())
    return condition(known->second, {});
  auto number = dyn_cast<IntegerAttr>(meta.getValue());
  if (!number || meta.getType().isInteger(1))
    return unknownOf(meta.getResult(), "a meta-parameter");
  result.expr = metaNamed(meta.getName(), number.getInt());
  return result;
}

/// Reads `value` at `positions`, expressions over the result's lanes. What differs from lane to
/// lane in an unknown way becomes unknown anew: x[:, None] - x[None, :] is not zero.
LaneValue LaneValues::reindex(const LaneValue &value, Value result,
                              ArrayRef<index::Expr> positions) {
  llvm::DenseMap<index::Expr, index::Expr> replacements;
  for (auto [axis, position] : llvm::enumerate(positions))
    replacements[lane(axis)] = position;
  auto renew = [&](index::Expr atom) -> index::Expr {
    if (auto found = replacements.find(atom); found != replacements.end())
      return found->second;
    auto unknown = opaque.find(atom);
    if (unknown == opaque.end() || uniform.contains(atom))
      return {};
    // One element of one value has one name, so that a mask and an address speak of the same.
    index::Expr &symbol = movedUnknowns[{atom, {positions.begin(), positions.end()}}];
    if (symbol) {
      replacements[atom] = symbol;
      return symbol;
    }
    symbol = context.symbol("$v" + std::to_string(fresh++));
    facts.setRange(symbol, facts.range(atom));
    std::string why = unknown->second;
    Operation *where = definedIn.lookup(atom);
    opaque[symbol] = why;
    definedIn[symbol] = where;
    replacements[atom] = symbol;
    return symbol;
  };
  LaneValue moved = value;
  if (moved.expr)
    moved.expr = index::substitute(moved.expr, renew);
  for (RangeCheck &check : moved.checks)
    check.expr = index::substitute(check.expr, renew);
  for (Conjunct &part : moved.conjuncts) {
    part.pred = index::substitute(part.pred, renew);
    for (RangeCheck &check : part.checks)
      check.expr = index::substitute(check.expr, renew);
  }
  return moved;
}

/// The position, in a tile of shape `from`, of the element at row-major position `linear`.
static llvm::SmallVector<index::Expr> delinearize(index::Expr linear, ArrayRef<int64_t> from) {
  llvm::SmallVector<index::Expr> result;
  int64_t inner = 1;
  for (size_t axis = from.size(); axis-- > 0;) {
    result.push_back(index::mod(index::floordiv(linear, inner), from[axis]));
    inner *= from[axis];
  }
  std::reverse(result.begin(), result.end());
  return result;
}

LaneValue LaneValues::shape(Operation *op) {
  Value value = op->getResult(0);
  ArrayRef<int64_t> extents = tile::getShape(value.getType());
  if (auto range = dyn_cast<tile::RangeOp>(op)) {
    LaneValue result;
    result.kind = LaneValue::Kind::Integer;
    result.expr = (extents[0] == 1 ? context.constant(0) : lane(0)) + range.getStart();
    return result;
  }
  if (auto pointer = dyn_cast<tile::AddPtrOp>(op)) {
    LaneValue base = get(pointer.getPtr()), offset = get(pointer.getOffset());
    if (base.kind != LaneValue::Kind::Pointer || offset.kind != LaneValue::Kind::Integer)
      return base.kind == LaneValue::Kind::Unknown ? base : LaneValue();
    base.expr = base.expr + offset.expr;
    llvm::append_range(base.checks, offset.checks);
    return base;
  }
  if (isa<tile::SplatOp, tile::RelabelOp>(op))
    return get(op->getOperand(0));
  if (auto hint = dyn_cast<tile::HintOp>(op))
    return get(hint.getValue());
  llvm::SmallVector<index::Expr> positions;
  if (auto broadcast = dyn_cast<tile::BroadcastOp>(op)) {
    for (auto [axis, extent] : llvm::enumerate(tile::getShape(broadcast.getValue().getType())))
      positions.push_back(extent == 1 ? context.constant(0) : lane(axis));
  } else if (auto expand = dyn_cast<tile::ExpandDimsOp>(op)) {
    for (unsigned axis = 0; axis < extents.size(); ++axis)
      if (int32_t(axis) != expand.getAxis())
        positions.push_back(lane(axis));
  } else if (auto trans = dyn_cast<tile::TransOp>(op)) {
    positions.resize(extents.size());
    for (auto [axis, source] : llvm::enumerate(trans.getOrder()))
      positions[source] = lane(axis);
  } else if (auto reshape = dyn_cast<tile::ReshapeOp>(op)) {
    index::Expr linear = context.constant(0);
    for (auto [axis, extent] : llvm::enumerate(extents))
      linear = linear * extent + (extent == 1 ? context.constant(0) : lane(axis));
    positions = delinearize(linear, tile::getShape(reshape.getValue().getType()));
  } else {
    return unknownOf(value, ("the result of '" + op->getName().getStringRef() + "'").str());
  }
  LaneValue operand = get(op->getOperand(0));
  if (operand.kind == LaneValue::Kind::Unknown)
    return operand;
  return reindex(operand, value, positions);
}

} // namespace nereid::analysis
