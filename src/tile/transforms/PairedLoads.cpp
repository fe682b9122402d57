// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tile/transforms/PairedLoads.h"

#include "tile/TileOps.h"
#include "tile/TileTypes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace nereid::tile {

namespace {

/// A number that is known, repeated along any axes.
std::optional<int64_t> numberOf(Value value) {
  while (auto splat = value.getDefiningOp<tile::SplatOp>())
    value = splat->getOperand(0);
  llvm::APInt number;
  if (!matchPattern(value, m_ConstantInt(&number)))
    return std::nullopt;
  return number.getSExtValue();
}

bool isLift(Operation *op) {
  return isa_and_nonnull<tile::SplatOp, tile::BroadcastOp, tile::ExpandDimsOp, tile::RelabelOp>(op);
}

/// How far one number or pointer is behind another: a number of elements and, where it is not null,
/// a stride.
struct Distance {
  int64_t number = 0;
  Value stride;
};

/// The distance of two offsets that are the same but for known numbers and a stride.
std::optional<Distance> difference(Value high, Value low) {
  Distance apart;
  for (auto [value, sign] : {std::pair(&high, 1), std::pair(&low, -1)})
    while (auto sum = value->getDefiningOp<arith::AddIOp>()) {
      std::optional<int64_t> known = numberOf(sum.getRhs());
      if (!known)
        break;
      apart.number += sign * *known;
      *value = sum.getLhs();
    }
  if (high == low)
    return apart;
  auto sum = high.getDefiningOp<arith::AddIOp>();
  if (!sum || sum.getLhs() != low || !getShape(high.getType()).empty())
    return std::nullopt;
  apart.stride = sum.getRhs();
  return apart;
}

/// The distance from `low` to `high`, where both are the same but for known numbers and a stride.
std::optional<Distance> distance(Value high, Value low) {
  if (high == low)
    return Distance();
  if (auto moved = high.getDefiningOp<tile::AddPtrOp>()) {
    std::optional<int64_t> number = numberOf(moved.getOffset());
    bool isStride = !number && getShape(moved.getOffset().getType()).empty();
    if (number || isStride)
      if (std::optional<Distance> rest = distance(moved.getPtr(), low);
          rest && !(isStride && rest->stride)) {
        rest->number += number.value_or(0);
        if (isStride)
          rest->stride = moved.getOffset();
        return rest;
      }
  }
  if (auto moved = low.getDefiningOp<tile::AddPtrOp>())
    if (std::optional<int64_t> number = numberOf(moved.getOffset()))
      if (std::optional<Distance> rest = distance(high, moved.getPtr())) {
        rest->number -= *number;
        return rest;
      }
  Operation *a = high.getDefiningOp(), *b = low.getDefiningOp();
  if (!a || !b || a->getName() != b->getName() || high.getType() != low.getType() ||
      a->getAttrDictionary() != b->getAttrDictionary())
    return std::nullopt;
  if (isLift(a))
    return distance(a->getOperand(0), b->getOperand(0));
  auto first = dyn_cast<tile::AddPtrOp>(a), second = dyn_cast<tile::AddPtrOp>(b);
  if (!first)
    return std::nullopt;
  std::optional<Distance> own = difference(first.getOffset(), second.getOffset());
  std::optional<Distance> rest = distance(first.getPtr(), second.getPtr());
  if (!own || !rest || (own->stride && rest->stride))
    return std::nullopt;
  rest->number += own->number;
  if (own->stride)
    rest->stride = own->stride;
  return rest;
}

/// What a number was before it was repeated and widened.
Value scalarOf(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isLift(op) && !isa<arith::ExtSIOp>(op))
      break;
    value = op->getOperand(0);
  }
  return value;
}

/// Whether offsets are those of every second, fourth or eighth element, `stride` apart if it is not
/// null: another distance would be that of rows.
bool hasEvenSteps(Value offsets, Value stride = {}) {
  Operation *op = offsets.getDefiningOp();
  if (!op)
    return false;
  if (isLift(op) || isa<arith::ExtSIOp>(op))
    return hasEvenSteps(op->getOperand(0), stride);
  if (isa<tile::AddPtrOp, arith::AddIOp>(op))
    return hasEvenSteps(op->getOperand(0), stride) || hasEvenSteps(op->getOperand(1), stride);
  auto product = dyn_cast<arith::MulIOp>(op);
  if (!product || getShape(offsets.getType()).empty())
    return false;
  auto inner = product.getLhs().getDefiningOp<arith::MulIOp>();
  if (stride && (!inner || scalarOf(inner.getRhs()) != scalarOf(stride)))
    return false;
  std::optional<int64_t> step = numberOf(product.getRhs());
  return step && (*step == 2 || *step == 4 || *step == 8);
}

/// Whether an index itself is part of offsets: its axis has steps of one element then, and no other
/// has the stride of neighbours.
bool addsIndex(Value offsets) {
  Operation *op = offsets.getDefiningOp();
  if (!op || getShape(offsets.getType()).empty())
    return false;
  if (isLift(op) || isa<arith::ExtSIOp>(op))
    return addsIndex(op->getOperand(0));
  if (isa<tile::AddPtrOp, arith::AddIOp>(op))
    return addsIndex(op->getOperand(0)) || addsIndex(op->getOperand(1));
  return !isa<arith::MulIOp, arith::ConstantOp>(op);
}

/// What reads a neighbour, and what reads the one behind it, one element or a stride away.
struct Neighbours {
  tile::LoadOp low, high;
  Value stride;
};

class Pairing {
public:
  explicit Pairing(Block &block) : block(block) {}

  void run();

private:
  std::optional<Neighbours> findNeighbours(tile::LoadOp low, tile::LoadOp high) const;
  bool isReadAnew(tile::LoadOp first, tile::LoadOp second) const;
  void join(Neighbours pair);

  Block &block;
};

} // namespace

std::optional<Neighbours> Pairing::findNeighbours(tile::LoadOp low, tile::LoadOp high) const {
  auto otherOf = [](tile::LoadOp load) { return load.getOther(); };
  bool isSameOther =
      otherOf(low) == otherOf(high) || (otherOf(low) && otherOf(high) && numberOf(otherOf(low)) &&
                                        numberOf(otherOf(low)) == numberOf(otherOf(high)));
  if (low.getPtr().getType() != high.getPtr().getType() || low.getMask() != high.getMask() ||
      !isSameOther || low->getAttrDictionary() != high->getAttrDictionary())
    return std::nullopt;
  std::optional<Distance> apart = distance(high.getPtr(), low.getPtr());
  if (!apart || apart->number != (apart->stride ? 0 : 1) ||
      !hasEvenSteps(low.getPtr(), apart->stride) || (apart->stride && addsIndex(low.getPtr())))
    return std::nullopt;
  return Neighbours{low, high, apart->stride};
}

/// Whether memory may change between two loads.
bool Pairing::isReadAnew(tile::LoadOp first, tile::LoadOp second) const {
  for (Operation *op = first->getNextNode(); op != second; op = op->getNextNode())
    if (!isa<tile::LoadOp>(op) && !isMemoryEffectFree(op))
      return true;
  return false;
}

/// The type with another last axis.
static Type withLastAxis(Type type, int64_t extent) {
  llvm::SmallVector<int64_t> shape(getShape(type));
  llvm::SmallVector<llvm::StringRef> names;
  for (unsigned axis = 0; axis < shape.size(); ++axis)
    names.push_back(getDimName(type, axis));
  shape.push_back(extent);
  names.push_back("");
  return getTileType(getElementType(type), shape, names);
}

/// A tile repeated along a last axis of two.
static Value widen(OpBuilder &builder, Value value) {
  Type wide = withLastAxis(value.getType(), 2), thin = withLastAxis(value.getType(), 1);
  Location loc = value.getLoc();
  if (auto splat = value.getDefiningOp<tile::SplatOp>())
    return tile::SplatOp::create(builder, loc, wide, splat->getOperand(0));
  auto axis = static_cast<int64_t>(getShape(value.getType()).size());
  Value one = tile::ExpandDimsOp::create(builder, loc, thin, value, axis);
  return tile::BroadcastOp::create(builder, loc, wide, one);
}

/// Moves what a pointer is made of before an operator. All of it but known numbers stands before
/// it, for a pointer there is made of the same.
static void bringBefore(Value value, Operation *op) {
  Operation *made = value.getDefiningOp();
  if (!made || made->getBlock() != op->getBlock() || made->isBeforeInBlock(op))
    return;
  for (Value operand : made->getOperands())
    bringBefore(operand, op);
  made->moveBefore(op);
}

/// 0 and 1 along the last axis of a shape.
static Value sidesOf(OpBuilder &builder, Location loc, Type like) {
  Type word = builder.getI32Type();
  size_t rank = getShape(like).size();
  Value sides = tile::RangeOp::create(builder, loc, getTileType(word, {2}, {""}), 0);
  llvm::SmallVector<int64_t> shape = {2};
  while (shape.size() < rank) {
    shape.insert(shape.begin(), 1);
    llvm::SmallVector<llvm::StringRef> names(shape.size(), "");
    sides = tile::ExpandDimsOp::create(builder, loc, getTileType(word, shape, names), sides, 0);
  }
  return tile::BroadcastOp::create(builder, loc, withElementType(like, word), sides);
}

void Pairing::join(Neighbours pair) {
  tile::LoadOp first = pair.low->isBeforeInBlock(pair.high) ? pair.low : pair.high;
  bringBefore(pair.low.getPtr(), first);
  OpBuilder builder(first);
  Location loc = first.getLoc(), plain = loc;
  if (auto name = dyn_cast<NameLoc>(loc))
    plain = name.getChildLoc();
  Value pointers = widen(builder, pair.low.getPtr());
  Value sides = sidesOf(builder, plain, pointers.getType());
  if (pair.stride) {
    bringBefore(pair.stride, first);
    Type wide = withElementType(sides.getType(), pair.stride.getType());
    if (wide != sides.getType())
      sides = arith::ExtSIOp::create(builder, plain, wide, sides);
    Value stride = tile::SplatOp::create(builder, plain, wide, pair.stride);
    sides = arith::MulIOp::create(builder, plain, sides, stride);
  }
  pointers = tile::AddPtrOp::create(builder, plain, pointers.getType(), pointers, sides);
  Value mask = first.getMask() ? widen(builder, first.getMask()) : Value();
  Value other = first.getOther() ? widen(builder, first.getOther()) : Value();
  Type half = first.getType();
  Value both =
      tile::LoadOp::create(builder, plain, withLastAxis(first.getType(), 2), pointers, mask, other,
                           first.getCacheModifier(), first.getEvictionPolicy(), false);
  auto split = tile::SplitOp::create(builder, plain, half, half, both);
  pair.low.getResult().replaceAllUsesWith(split.getLhs());
  pair.high.getResult().replaceAllUsesWith(split.getRhs());
  pair.low->erase();
  pair.high->erase();
}

void Pairing::run() {
  llvm::SmallVector<tile::LoadOp> loads;
  for (tile::LoadOp load : block.getOps<tile::LoadOp>())
    if (!getShape(load.getPtr().getType()).empty() && !load.getIsVolatile() &&
        hasEvenSteps(load.getPtr()))
      loads.push_back(load);
  llvm::DenseSet<Operation *> paired;
  llvm::SmallVector<Neighbours> found;
  for (auto [number, first] : llvm::enumerate(loads))
    for (tile::LoadOp second : llvm::ArrayRef(loads).drop_front(number + 1)) {
      if (paired.contains(first) || paired.contains(second) || isReadAnew(first, second))
        continue;
      std::optional<Neighbours> both = findNeighbours(first, second);
      if (!both)
        both = findNeighbours(second, first);
      if (!both)
        continue;
      paired.insert(first);
      paired.insert(second);
      found.push_back(*both);
    }
  for (const Neighbours &pair : found)
    join(pair);
}

void pairLoads(func::FuncOp func) {
  func.walk([](Block *block) { Pairing(*block).run(); });
}

} // namespace nereid::tile
