// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tile/transforms/AlignedArguments.h"

#include "tile/TileOps.h"
#include "tile/TileTypes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace nereid::tile {

namespace {

/// The numbers of arguments that are multiples of the length of a group.
using Multiples = llvm::SmallSetVector<unsigned, 4>;

enum class Order : uint8_t {
  Unknown,
  /// The lanes of a group are equal.
  Equal,
  /// Each is the one before it and one more.
  Consecutive,
};

/// What the lanes of an integer, a pointer or a mask are along the last axis, in groups of a length
/// that is a power of two, and of which arguments it follows.
struct Lanes {
  Order order = Order::Unknown;
  Multiples ofOrder = {};
  /// Each lane is a multiple of the length; of consecutive lanes, the first of each group.
  std::optional<Multiples> each = {}, first = {};
  /// The strides that are taken for 1.
  Multiples units = {};
};

Multiples join(const Multiples &a, const Multiples &b) {
  Multiples both = a;
  both.insert(b.begin(), b.end());
  return both;
}

std::optional<Multiples> joinBoth(const std::optional<Multiples> &a,
                                  const std::optional<Multiples> &b) {
  return a && b ? std::optional(join(*a, *b)) : std::nullopt;
}

/// The argument of the kernel that a value is, spread over lanes or not; null for others.
BlockArgument asArgument(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<tile::SplatOp, tile::BroadcastOp, tile::RelabelOp, arith::ExtSIOp>(op))
      return {};
    value = op->getOperand(0);
  }
  auto argument = cast<BlockArgument>(value);
  return isa<func::FuncOp>(argument.getOwner()->getParentOp()) ? argument : BlockArgument();
}

class LaneGroups {
public:
  const Lanes &get(Value value) {
    if (auto found = known.find(value); found != known.end())
      return *found->second;
    auto lanes = std::make_unique<Lanes>(find(value));
    return *(known[value] = std::move(lanes));
  }

private:
  Lanes find(Value value);
  Lanes findArgument(BlockArgument argument);
  Lanes findSum(Operation *op);
  Lanes findProduct(arith::MulIOp op);
  Lanes findDivision(Operation *op, bool isQuotient);
  Lanes findComparison(arith::CmpIOp op);
  Lanes findReshaped(Operation *op);
  Lanes findOther(Operation *op);

  llvm::DenseMap<Value, std::unique_ptr<Lanes>> known;
};

Lanes LaneGroups::findArgument(BlockArgument argument) {
  Lanes lanes;
  if (!isa<RankedTensorType>(argument.getType()))
    lanes.order = Order::Equal;
  Operation *parent = argument.getOwner()->getParentOp();
  if (isa<func::FuncOp>(parent)) {
    // Pointers are aligned, or another instance of the kernel is launched.
    lanes.each.emplace();
    if (argument.getType().isInteger(32))
      lanes.each->insert(argument.getArgNumber());
    else if (!isa<tile::PtrType>(argument.getType()))
      lanes.each.reset();
  } else if (auto loop = dyn_cast<scf::ForOp>(parent); loop && loop.getInductionVar() == argument) {
    lanes.each = joinBoth(get(loop.getLowerBound()).each, get(loop.getStep()).each);
  }
  return lanes;
}

Lanes LaneGroups::findSum(Operation *op) {
  const Lanes &a = get(op->getOperand(0)), &b = get(op->getOperand(1));
  Lanes sum{Order::Unknown, join(a.ofOrder, b.ofOrder), joinBoth(a.each, b.each), std::nullopt,
            join(a.units, b.units)};
  if (a.order == Order::Equal && b.order == Order::Equal)
    sum.order = Order::Equal;
  if (a.order == Order::Consecutive && b.order == Order::Equal) {
    sum.order = Order::Consecutive;
    sum.first = joinBoth(a.first, b.each);
  } else if (a.order == Order::Equal && b.order == Order::Consecutive && !isa<arith::SubIOp>(op)) {
    sum.order = Order::Consecutive;
    sum.first = joinBoth(a.each, b.first);
  }
  return sum;
}

Lanes LaneGroups::findProduct(arith::MulIOp op) {
  const Lanes &a = get(op.getLhs()), &b = get(op.getRhs());
  Lanes product{Order::Unknown, join(a.ofOrder, b.ofOrder), std::nullopt, std::nullopt,
                join(a.units, b.units)};
  bool takesFirst = a.each && (!b.each || a.each->size() <= b.each->size());
  product.each = takesFirst ? a.each : b.each;
  if (a.order == Order::Equal && b.order == Order::Equal)
    product.order = Order::Equal;
  // Where lanes lie side by side the stride is 1, whichever argument it is.
  for (auto [lanes, stride] :
       {std::pair(op.getLhs(), op.getRhs()), std::pair(op.getRhs(), op.getLhs())})
    if (BlockArgument unit = asArgument(stride); unit && get(lanes).order == Order::Consecutive) {
      product.order = Order::Consecutive;
      product.first = get(lanes).first;
      product.units.insert(unit.getArgNumber());
    }
  return product;
}

Lanes LaneGroups::findDivision(Operation *op, bool isQuotient) {
  const Lanes &a = get(op->getOperand(0)), &b = get(op->getOperand(1));
  Lanes result{Order::Unknown, join(a.ofOrder, b.ofOrder), std::nullopt, std::nullopt,
               join(a.units, b.units)};
  if (a.order == Order::Equal && b.order == Order::Equal) {
    result.order = Order::Equal;
    if (!isQuotient)
      result.each = joinBoth(a.each, b.each);
  } else if (a.order == Order::Consecutive && a.first && b.order == Order::Equal && b.each) {
    result.ofOrder = join(result.ofOrder, join(*a.first, *b.each));
    result.order = isQuotient ? Order::Equal : Order::Consecutive;
    if (!isQuotient)
      result.first = Multiples();
  }
  return result;
}

/// The comparison with its operands the other way round.
arith::CmpIPredicate swapSides(arith::CmpIPredicate predicate) {
  using Predicate = arith::CmpIPredicate;
  switch (predicate) {
  case Predicate::slt:
    return Predicate::sgt;
  case Predicate::sgt:
    return Predicate::slt;
  case Predicate::sle:
    return Predicate::sge;
  case Predicate::sge:
    return Predicate::sle;
  case Predicate::ult:
    return Predicate::ugt;
  case Predicate::ugt:
    return Predicate::ult;
  case Predicate::ule:
    return Predicate::uge;
  case Predicate::uge:
    return Predicate::ule;
  default:
    return predicate;
  }
}

/// Groups lie on one side of a bound that is a multiple of their length.
Lanes LaneGroups::findComparison(arith::CmpIOp op) {
  using Predicate = arith::CmpIPredicate;
  const Lanes *lanes = &get(op.getLhs()), *bound = &get(op.getRhs());
  Predicate predicate = op.getPredicate();
  if (lanes->order == Order::Equal && bound->order == Order::Consecutive) {
    std::swap(lanes, bound);
    predicate = swapSides(predicate);
  }
  Lanes result{Order::Unknown, join(lanes->ofOrder, bound->ofOrder)};
  if (lanes->order == Order::Equal && bound->order == Order::Equal) {
    result.order = Order::Equal;
    return result;
  }
  // Neither `<=` nor `>` is.
  bool isBetweenGroups = predicate == Predicate::slt || predicate == Predicate::sge ||
                         predicate == Predicate::ult || predicate == Predicate::uge;
  if (isBetweenGroups && lanes->order == Order::Consecutive && lanes->first &&
      bound->order == Order::Equal && bound->each) {
    result.order = Order::Equal;
    result.ofOrder = join(result.ofOrder, join(*lanes->first, *bound->each));
  }
  return result;
}

/// What spreads lanes over others: of rows, each is equal along the columns.
Lanes LaneGroups::findReshaped(Operation *op) {
  Lanes lanes = get(op->getOperand(0));
  auto from = dyn_cast<RankedTensorType>(op->getOperand(0).getType());
  bool isSpread = isa<tile::SplatOp>(op);
  if (auto expand = dyn_cast<tile::ExpandDimsOp>(op))
    isSpread = int64_t(expand.getAxis()) == from.getRank();
  else if (isa<tile::BroadcastOp>(op))
    isSpread = from.getShape().back() == 1 &&
               cast<RankedTensorType>(op->getResult(0).getType()).getShape().back() != 1;
  if (isSpread)
    lanes = {Order::Equal, {}, lanes.each, std::nullopt, {}};
  return lanes;
}

/// Equal operands have equal results.
Lanes LaneGroups::findOther(Operation *op) {
  Lanes lanes;
  bool areEqual = !isa<RankedTensorType>(op->getResult(0).getType());
  if (!areEqual && op->getNumRegions() == 0 && op->getNumOperands() > 0)
    areEqual = llvm::all_of(op->getOperands(), [&](Value operand) {
      lanes.ofOrder = join(lanes.ofOrder, get(operand).ofOrder);
      return get(operand).order == Order::Equal;
    });
  if (areEqual)
    lanes.order = Order::Equal;
  if (isa<arith::SelectOp, arith::MinSIOp, arith::MaxSIOp>(op)) {
    auto values = op->getOperands().take_back(2);
    lanes.each = joinBoth(get(values[0]).each, get(values[1]).each);
  }
  return lanes;
}

Lanes LaneGroups::find(Value value) {
  constexpr int64_t longest = 16;
  if (auto argument = dyn_cast<BlockArgument>(value))
    return findArgument(argument);
  Operation *op = value.getDefiningOp();
  APInt number;
  if (matchPattern(value, m_ConstantInt(&number))) {
    bool isMultiple = number.getSExtValue() % longest == 0;
    return {Order::Equal, {}, isMultiple ? std::optional(Multiples()) : std::nullopt};
  }
  return llvm::TypeSwitch<Operation *, Lanes>(op)
      // Blocks are powers of two: what is shorter than a group moves as one.
      .Case([](tile::MetaOp) { return Lanes{Order::Equal, {}, Multiples()}; })
      .Case([&](tile::RangeOp range) {
        bool isMultiple = int64_t(range.getStart()) % longest == 0;
        return Lanes{Order::Consecutive,
                     {},
                     std::nullopt,
                     isMultiple ? std::optional(Multiples()) : std::nullopt};
      })
      .Case<tile::AddPtrOp, arith::AddIOp, arith::SubIOp>([&](auto sum) { return findSum(sum); })
      .Case([&](arith::MulIOp product) { return findProduct(product); })
      .Case<arith::DivSIOp, arith::DivUIOp>([&](auto op) { return findDivision(op, true); })
      .Case<arith::RemSIOp, arith::RemUIOp>([&](auto op) { return findDivision(op, false); })
      .Case([&](arith::CmpIOp comparison) { return findComparison(comparison); })
      .Case<tile::SplatOp, tile::BroadcastOp, tile::ExpandDimsOp, tile::RelabelOp, arith::ExtSIOp,
            arith::ExtUIOp>([&](Operation *op) { return findReshaped(op); })
      .Default([&](Operation *op) { return findOther(op); });
}

} // namespace

void markAlignedArguments(func::FuncOp func) {
  LaneGroups groups;
  Multiples aligned;
  func.walk([&](Operation *op) {
    Value mask;
    if (auto load = dyn_cast<tile::LoadOp>(op))
      mask = load.getMask();
    else if (auto store = dyn_cast<tile::StoreOp>(op))
      mask = store.getMask();
    else
      return;
    const Lanes &places = groups.get(op->getOperand(0));
    if (places.order != Order::Consecutive || !places.first)
      return;
    Multiples needed = join(places.ofOrder, *places.first);
    if (mask) {
      const Lanes &within = groups.get(mask);
      if (within.order != Order::Equal)
        return;
      needed = join(needed, within.ofOrder);
    }
    auto isUnit = [&](unsigned place) { return places.units.contains(place); };
    if (llvm::none_of(needed, isUnit))
      aligned = join(aligned, needed);
  });
  for (unsigned place : aligned)
    func.setArgAttr(place, alignedAttrName, UnitAttr::get(func.getContext()));
}

} // namespace nereid::tile
