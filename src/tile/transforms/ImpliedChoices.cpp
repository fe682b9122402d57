// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tile/transforms/ImpliedChoices.h"

#include "tile/TileOps.h"
#include "tile/TileTypes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace nereid::tile {

/// The number that all elements of a value are; null where that is not known.
static Attribute numberOf(Value value) {
  while (auto splat = value.getDefiningOp<tile::SplatOp>())
    value = splat->getOperand(0);
  Attribute number;
  return matchPattern(value, m_Constant(&number)) ? number : Attribute();
}

static bool isZero(Attribute number) {
  if (auto real = dyn_cast<FloatAttr>(number))
    return real.getValue().isPosZero();
  auto integer = dyn_cast<IntegerAttr>(number);
  return integer && integer.getValue().isZero();
}

/// One of the conditions that an `and` asks, as it was before it was repeated along the axes of the
/// whole, and where axes were put into it, the last one first.
struct Part {
  Value value;
  llvm::SmallVector<int64_t, 2> axes;
  bool operator==(const Part &) const = default;
};

static void collectParts(Value condition, llvm::SmallVector<int64_t, 2> axes,
                         llvm::SmallVectorImpl<Part> &parts) {
  if (auto both = condition.getDefiningOp<arith::AndIOp>()) {
    collectParts(both.getLhs(), axes, parts);
    return collectParts(both.getRhs(), std::move(axes), parts);
  }
  if (auto repeated = condition.getDefiningOp<tile::BroadcastOp>())
    return collectParts(repeated->getOperand(0), std::move(axes), parts);
  if (auto expanded = condition.getDefiningOp<tile::ExpandDimsOp>()) {
    axes.push_back(expanded.getAxis());
    return collectParts(expanded->getOperand(0), std::move(axes), parts);
  }
  parts.push_back({condition, std::move(axes)});
}

/// Whether a condition is an `and` of others, `part` among them, or that itself.
static bool asks(Value condition, const Part &part) {
  llvm::SmallVector<Part> parts;
  collectParts(condition, {}, parts);
  return llvm::is_contained(parts, part);
}

/// A factor that leaves 0 what it is, its sign too.
static bool isPositive(Value value) {
  auto real = dyn_cast_if_present<FloatAttr>(numberOf(value));
  return real && real.getValue().isFinite() && !real.getValue().isNegative();
}

/// Whether a value is `number` wherever `part` does not hold. `depth`: how far to look.
static bool isElsewhere(Value value, Attribute number, const Part &part, unsigned depth) {
  if (numberOf(value) == number)
    return true;
  Operation *op = value.getDefiningOp();
  if (!op || depth == 0)
    return false;
  if (auto load = dyn_cast<tile::LoadOp>(op))
    return load.getMask() && load.getOther() && numberOf(load.getOther()) == number &&
           asks(load.getMask(), part);
  if (auto choice = dyn_cast<arith::SelectOp>(op)) {
    if (!isElsewhere(choice.getFalseValue(), number, part, depth - 1))
      return false;
    return asks(choice.getCondition(), part) ||
           isElsewhere(choice.getTrueValue(), number, part, depth - 1);
  }
  // Sums and products of 0 are 0; infinity times 0 is not.
  if (isZero(number) && isa<arith::AddFOp, arith::MulFOp, arith::AddIOp, arith::MulIOp>(op)) {
    auto isZeroThere = [&](Value operand) { return isElsewhere(operand, number, part, depth - 1); };
    auto [left, right] = std::pair(op->getOperand(0), op->getOperand(1));
    if (isa<arith::MulFOp>(op) && (isPositive(left) || isPositive(right)))
      return isZeroThere(isPositive(left) ? right : left);
    return isZeroThere(left) && isZeroThere(right);
  }
  // A cast of 0 is 0.
  if (isZero(number) && isa<arith::ExtFOp, arith::TruncFOp, arith::ExtSIOp, arith::ExtUIOp>(op)) {
    Attribute zero =
        Builder(op->getContext()).getZeroAttr(tile::getElementType(op->getOperand(0).getType()));
    return isElsewhere(op->getOperand(0), zero, part, depth - 1);
  }
  return false;
}

/// Whether a value is `number` wherever a condition, an `and` of parts, does not hold.
static bool isOutside(Value value, Attribute number, Value condition) {
  constexpr unsigned depth = 12;
  llvm::SmallVector<Part> parts;
  collectParts(condition, {}, parts);
  return llvm::all_of(parts,
                      [&](const Part &part) { return isElsewhere(value, number, part, depth); });
}

void dropImpliedChoices(func::FuncOp func) {
  llvm::SmallVector<arith::SelectOp> choices;
  func.walk([&](arith::SelectOp op) { choices.push_back(op); });
  for (arith::SelectOp choice : choices) {
    Attribute number = numberOf(choice.getFalseValue());
    if (!number || !isOutside(choice.getTrueValue(), number, choice.getCondition()))
      continue;
    choice.replaceAllUsesWith(choice.getTrueValue());
    choice.erase();
  }
}

} // namespace nereid::tile
