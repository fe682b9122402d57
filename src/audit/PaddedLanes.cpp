// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "audit/PaddedLanes.h"

#include "audit/MaskConditions.h"
#include "tile/Combiner.h"
#include "tile/TileTypes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <cmath>

using namespace mlir;

namespace nereid::audit {

/// Operations are followed so far.
static constexpr unsigned mostLaneDepth = 12;

static unsigned rankOf(Value value) { return tile::getShape(value.getType()).size(); }

static PaddedValue number(double value) { return {PaddedValue::Constant, value}; }
static PaddedValue unknown() { return {}; }
static PaddedValue uniform() { return {PaddedValue::Uniform, 0}; }

SmallVector<Value> conditionsOf(Value mask) {
  SmallVector<Value> result, open{mask};
  while (!open.empty()) {
    Value value = open.pop_back_val();
    Operation *op = value.getDefiningOp();
    if (op && isa<arith::AndIOp>(op))
      open.append({op->getOperand(0), op->getOperand(1)});
    else if (op && isa<tile::BroadcastOp, tile::ExpandDimsOp, tile::SplatOp>(op))
      open.push_back(op->getOperand(0));
    else
      result.push_back(value);
  }
  return result;
}

bool areAlike(Value a, Value b, unsigned depth) {
  if (a == b)
    return true;
  Operation *x = a.getDefiningOp(), *y = b.getDefiningOp();
  if (!x || !y || depth > mostLaneDepth || x->getName() != y->getName() ||
      a.getType() != b.getType() || x->getNumRegions() || !isMemoryEffectFree(x) ||
      x->getNumOperands() != y->getNumOperands() ||
      x->getAttrDictionary() != y->getAttrDictionary() ||
      cast<OpResult>(a).getResultNumber() != cast<OpResult>(b).getResultNumber())
    return false;
  return llvm::all_of(llvm::zip_equal(x->getOperands(), y->getOperands()), [&](auto pair) {
    return areAlike(std::get<0>(pair), std::get<1>(pair), depth + 1);
  });
}

unsigned varyingAxes(Value value, unsigned depth) {
  unsigned rank = rankOf(value), all = (1u << rank) - 1;
  if (rank == 0)
    return 0;
  Operation *op = value.getDefiningOp();
  if (!op || depth > mostLaneDepth)
    return all;
  if (isa<tile::SplatOp, arith::ConstantOp>(op))
    return 0;
  if (isa<tile::RangeOp>(op))
    return 1;
  unsigned result = 0;
  if (auto expand = dyn_cast<tile::ExpandDimsOp>(op)) {
    unsigned inner = varyingAxes(op->getOperand(0), depth + 1), axis = expand.getAxis();
    unsigned low = (1u << axis) - 1;
    return (inner & low) | ((inner & ~low) << 1);
  }
  if (isa<tile::BroadcastOp>(op))
    return varyingAxes(op->getOperand(0), depth + 1);
  if (auto trans = dyn_cast<tile::TransOp>(op)) {
    unsigned inner = varyingAxes(trans.getValue(), depth + 1);
    for (auto [axis, from] : llvm::enumerate(trans.getOrder()))
      result |= ((inner >> from) & 1) << axis;
    return result;
  }
  if (op->getName().getDialectNamespace() != "arith" && !isa<tile::AddPtrOp, tile::LoadOp>(op))
    return all;
  for (Value operand : op->getOperands())
    if (rankOf(operand) == rank)
      result |= varyingAxes(operand, depth + 1);
  return result;
}

bool PaddedLanes::isImpliedBy(Value mask) const {
  return llvm::any_of(conditionsOf(mask), [&](Value other) { return areAlike(other, condition); });
}

PaddedValue PaddedLanes::at(Value value, unsigned axis) {
  auto [place, isNew] = known.try_emplace({value, axis}, unknown());
  if (!isNew)
    return place->second;
  PaddedValue result = compute(value, axis);
  known[{value, axis}] = result;
  return result;
}

PaddedValue PaddedLanes::compute(Value value, unsigned axis) {
  if (std::optional<double> constant = literalOf(value.getDefiningOp()))
    return number(*constant);
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    return loop && argument != loop.getInductionVar() ? atCarried(argument, axis)
           : rankOf(value) == 0                       ? uniform()
                                                      : unknown();
  }
  Operation *op = value.getDefiningOp();
  StringRef dialect = op->getName().getDialectNamespace();
  if (rankOf(value) == 0) {
    bool isFolded = dialect == "arith" && !isa<arith::SelectOp>(op);
    PaddedValue scalar = isFolded ? atArithmetic(op, axis) : uniform();
    return scalar.kind == PaddedValue::Constant ? scalar : uniform();
  }
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return at(loop.getRegionIterArgs()[cast<OpResult>(value).getResultNumber()], axis);
  if (isa<tile::LoadOp>(op))
    return atLoad(op, axis);
  if (isa<arith::SelectOp>(op))
    return atChoice(op, axis);
  return dialect == "tile" ? atShape(op, axis) : atArithmetic(op, axis);
}

/// Each turn starts from what the loop does.
PaddedValue PaddedLanes::atCarried(BlockArgument argument, unsigned axis) {
  auto loop = cast<scf::ForOp>(argument.getOwner()->getParentOp());
  if (rankOf(argument) == 0)
    return uniform();
  PaddedValue start = at(loop.getTiedLoopInit(argument)->get(), axis);
  known[{argument, axis}] = start;
  PaddedValue next = at(loop.getTiedLoopYieldedValue(argument)->get(), axis);
  // A fold goes on with what it had, or is spoiled by what it takes in.
  return next == start || next.kind == PaddedValue::Undefined || next.kind == PaddedValue::Uniform
             ? next
             : unknown();
}

PaddedValue PaddedLanes::atLoad(Operation *op, unsigned axis) {
  auto load = cast<tile::LoadOp>(op);
  if (!(varyingAxes(load.getResult()) & (1u << axis)))
    return uniform();
  if (!load.getMask() || !isImpliedBy(load.getMask()))
    return unknown();
  if (!load.getOther())
    return {PaddedValue::Undefined, 0};
  // A parameter was chosen for what follows.
  PaddedValue other = at(load.getOther(), axis);
  return other.kind == PaddedValue::Uniform ? unknown() : other;
}

PaddedValue PaddedLanes::atChoice(Operation *op, unsigned axis) {
  auto choice = cast<arith::SelectOp>(op);
  Value asked = choice.getCondition();
  if (isImpliedBy(asked))
    return at(choice.getFalseValue(), axis);
  if (auto negation = asked.getDefiningOp<arith::XOrIOp>())
    if (literalOf(negation.getRhs().getDefiningOp()) == 1 && isImpliedBy(negation.getLhs()))
      return at(choice.getTrueValue(), axis);
  PaddedValue a = at(choice.getTrueValue(), axis), b = at(choice.getFalseValue(), axis);
  return a == b && a.kind == PaddedValue::Constant ? a : unknown();
}

static PaddedValue product(PaddedValue a, PaddedValue b) {
  bool isZero = a.is(0) || b.is(0);
  PaddedValue other = a.is(0) ? b : a;
  if (isZero)
    return other.kind == PaddedValue::Undefined || std::isinf(other.number) ? unknown() : number(0);
  for (const PaddedValue &side : {a, b})
    if (side.kind == PaddedValue::Unknown || side.kind == PaddedValue::Undefined)
      return side;
  // A factor of what is left out by an infinity is taken to be positive: a scale.
  if (a.kind == PaddedValue::Constant && b.kind == PaddedValue::Constant)
    return number(a.number * b.number);
  for (const PaddedValue &side : {a, b})
    if (side.kind == PaddedValue::Constant && std::isinf(side.number))
      return side;
  return uniform();
}

static PaddedValue sum(PaddedValue a, PaddedValue b, double sign) {
  for (const PaddedValue &side : {a, b})
    if (side.kind == PaddedValue::Unknown || side.kind == PaddedValue::Undefined)
      return side;
  if (a.kind == PaddedValue::Constant && b.kind == PaddedValue::Constant)
    return number(a.number + sign * b.number);
  // Beside these others are nothing.
  constexpr double huge = 1e20;
  if (a.kind == PaddedValue::Constant && std::abs(a.number) >= huge)
    return a;
  if (b.kind == PaddedValue::Constant && std::abs(b.number) >= huge)
    return number(sign * b.number);
  return uniform();
}

/// A function of one number.
static std::optional<double> apply(StringRef name, double x) {
  if (name == "exp")
    return std::exp(x);
  if (name == "exp2")
    return std::exp2(x);
  if (name == "tanh")
    return std::tanh(x);
  if (name == "absf" || name == "fabs" || name == "absi")
    return std::abs(x);
  if (name == "sqrt")
    return std::sqrt(x);
  if (name == "log" || name == "log2")
    return x > 0 ? std::optional(name == "log" ? std::log(x) : std::log2(x)) : std::nullopt;
  if (name == "negf")
    return -x;
  return std::nullopt;
}

PaddedValue PaddedLanes::atArithmetic(Operation *op, unsigned axis) {
  StringRef name = op->getName().stripDialect();
  Value first = op->getNumOperands() ? op->getOperand(0) : Value();
  if (isa<arith::UIToFPOp, arith::ExtUIOp>(op) &&
      tile::getElementType(first.getType()).isInteger(1))
    return isImpliedBy(first) ? number(0) : unknown();
  if (isa<arith::ExtFOp, arith::TruncFOp, arith::SIToFPOp, arith::UIToFPOp, arith::ExtSIOp,
          arith::TruncIOp, arith::FPToSIOp>(op))
    return at(first, axis);
  if (isa<arith::MulFOp, arith::MulIOp>(op))
    return product(at(first, axis), at(op->getOperand(1), axis));
  if (isa<arith::AddFOp, arith::AddIOp>(op))
    return sum(at(first, axis), at(op->getOperand(1), axis), 1);
  if (isa<arith::SubFOp, arith::SubIOp>(op))
    return sum(at(first, axis), at(op->getOperand(1), axis), -1);
  if (isa<arith::DivFOp>(op)) {
    PaddedValue divisor = at(op->getOperand(1), axis);
    // By a number that is its own: a quotient is a product.
    if (divisor.is(0) || divisor.kind == PaddedValue::Unknown)
      return unknown();
    return product(at(first, axis),
                   divisor.kind == PaddedValue::Constant ? number(1 / divisor.number) : divisor);
  }
  if (isa<arith::MaximumFOp, arith::MaxNumFOp, arith::MinimumFOp, arith::MinNumFOp>(op)) {
    PaddedValue a = at(first, axis), b = at(op->getOperand(1), axis);
    if (a.kind != PaddedValue::Constant || b.kind != PaddedValue::Constant)
      return unknown();
    bool isMax = isa<arith::MaximumFOp, arith::MaxNumFOp>(op);
    return number(isMax ? std::max(a.number, b.number) : std::min(a.number, b.number));
  }
  if (auto compare = dyn_cast<arith::CmpFOp>(op)) {
    PaddedValue a = at(first, axis), b = at(compare.getRhs(), axis);
    bool isKnown = a.kind == PaddedValue::Constant && b.kind == PaddedValue::Constant;
    bool asksEqual = compare.getPredicate() == arith::CmpFPredicate::OEQ;
    bool asksOther = compare.getPredicate() == arith::CmpFPredicate::UNE ||
                     compare.getPredicate() == arith::CmpFPredicate::ONE;
    return isKnown && (asksEqual || asksOther) ? number((a.number == b.number) == asksEqual)
                                               : unknown();
  }
  if (auto compare = dyn_cast<arith::CmpIOp>(op)) {
    PaddedValue a = at(first, axis), b = at(compare.getRhs(), axis);
    bool isKnown = a.kind == PaddedValue::Constant && b.kind == PaddedValue::Constant;
    bool asksEqual = compare.getPredicate() == arith::CmpIPredicate::eq;
    bool asksOther = compare.getPredicate() == arith::CmpIPredicate::ne;
    return isKnown && (asksEqual || asksOther) ? number((a.number == b.number) == asksEqual)
                                               : unknown();
  }
  if (op->getNumOperands() != 1)
    return unknown();
  PaddedValue operand = at(first, axis);
  if (operand.kind != PaddedValue::Constant)
    return op->getName().getDialectNamespace() == "math" ? operand : unknown();
  std::optional<double> result = apply(name, operand.number);
  return result ? number(*result) : unknown();
}

PaddedValue PaddedLanes::atShape(Operation *op, unsigned axis) {
  Value first = op->getNumOperands() ? op->getOperand(0) : Value();
  if (auto call = dyn_cast<tile::LibdeviceOp>(op)) {
    PaddedValue operand = at(first, axis);
    if (op->getNumOperands() != 1 || operand.kind != PaddedValue::Constant)
      return op->getNumOperands() == 1 ? operand : unknown();
    std::optional<double> result = apply(call.getName(), operand.number);
    return result ? number(*result) : unknown();
  }
  if (isa<tile::SplatOp>(op))
    return at(first, 0);
  if (isa<tile::HintOp, tile::Tf32Op>(op))
    return at(first, axis);
  if (isa<tile::BroadcastOp>(op)) {
    PaddedValue operand = at(first, axis);
    bool isRepeated = tile::getShape(first.getType())[axis] == 1;
    return isRepeated && operand.kind != PaddedValue::Constant ? uniform() : operand;
  }
  if (auto expand = dyn_cast<tile::ExpandDimsOp>(op))
    return axis == unsigned(expand.getAxis())
               ? uniform()
               : at(first, axis - (axis > unsigned(expand.getAxis())));
  if (auto trans = dyn_cast<tile::TransOp>(op))
    return at(first, trans.getOrder()[axis]);
  if (auto dot = dyn_cast<tile::DotOp>(op)) {
    // Rows of zeros give rows of zeros.
    unsigned rank = rankOf(dot.getResult());
    PaddedValue side = axis + 2 == rank   ? at(dot.getLhs(), axis)
                       : axis + 1 == rank ? at(dot.getRhs(), axis)
                                          : unknown();
    return side.is(0) ? at(dot.getAcc(), axis) : unknown();
  }
  if (auto fold = dyn_cast<tile::ReduceOp>(op)) {
    if (fold.getValues().size() != 1)
      return unknown();
    PaddedValue operand = at(first, axis + (axis >= unsigned(fold.getAxis())));
    bool isSum = tile::combinerKind(fold) == tile::Combiner::Sum;
    return operand.kind == PaddedValue::Constant && isSum && operand.number != 0 ? unknown()
                                                                                 : operand;
  }
  return unknown();
}

} // namespace nereid::audit
