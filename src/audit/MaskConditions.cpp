// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "audit/MaskConditions.h"
#include "audit/PaddedLanes.h"

#include "tile/TileTypes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace nereid::audit {

void collectSources(Value value, llvm::DenseSet<Value> &sources, unsigned depth) {
  if (depth > 12 || !sources.insert(value).second)
    return;
  if (Operation *op = value.getDefiningOp())
    for (Value operand : op->getOperands())
      collectSources(operand, sources, depth + 1);
}

/// Whether the condition is a comparison that can fail: one of constants is decided, and one of
/// the turns of a loop whose end has nothing to do with its bound may well hold in all of them.
static bool canFail(Value condition) {
  auto compare = condition.getDefiningOp<arith::CmpIOp>();
  if (!compare || (matchPattern(compare.getLhs(), m_Constant()) &&
                   matchPattern(compare.getRhs(), m_Constant())))
    return false;
  llvm::DenseSet<Value> index, bound;
  collectSources(compare.getLhs(), index);
  collectSources(compare.getRhs(), bound);
  auto isLeaf = [](Value value) {
    Operation *op = value.getDefiningOp();
    return !op || isa<tile::MetaOp, tile::LoadOp>(op);
  };
  for (Value value : index) {
    auto counter = dyn_cast<BlockArgument>(value);
    auto loop = counter ? dyn_cast<scf::ForOp>(counter.getOwner()->getParentOp()) : scf::ForOp();
    if (!loop || counter != loop.getInductionVar())
      continue;
    llvm::DenseSet<Value> ends;
    collectSources(loop.getUpperBound(), ends);
    if (llvm::none_of(ends, [&](Value end) {
          return isLeaf(end) && llvm::any_of(bound, [&](Value other) {
                   return isLeaf(other) && areAlike(end, other);
                 });
        }))
      return false;
  }
  return true;
}

/// Whether the condition holds wherever the operation is executed: of a loop over full blocks.
static bool alwaysHolds(Value condition, Operation *op, analysis::LaneValues &lanes) {
  const analysis::LaneValue &value = lanes.get(condition);
  if (value.kind != analysis::LaneValue::Kind::Condition || value.conjuncts.empty())
    return false;
  auto asked = llvm::to_vector(value.conjuncts);
  SmallVector<analysis::Conjunct> path = lanes.pathTo(op);
  index::Facts facts = lanes.getFacts();
  for (const analysis::Conjunct &known : path)
    facts.assume(known.pred);
  for (auto [axis, extent] : llvm::enumerate(lanes.extentsOf(condition.getType()))) {
    facts.setRange(lanes.lane(axis), index::Range::atLeast(0));
    facts.assume(index::lt(lanes.lane(axis), extent));
  }
  return llvm::all_of(
      asked, [&](const analysis::Conjunct &part) { return part.pred && facts.isTrue(part.pred); });
}

/// The conditions of the mask that change along the axis. Broadcasts put the last axes together.
void MaskConditions::add(tile::LoadOp load, unsigned axis) {
  SmallVector<Value> open{load.getMask()};
  while (!open.empty()) {
    Value value = open.pop_back_val();
    Operation *op = value.getDefiningOp();
    if (!(varyingAxes(value) & (1u << axis)) || !op)
      continue;
    if (isa<arith::AndIOp>(op)) {
      open.append({op->getOperand(0), op->getOperand(1)});
      continue;
    }
    for (Value condition : conditionsOf(value))
      if (canFail(condition) && !alwaysHolds(condition, load, lanes) &&
          llvm::none_of(conditions, [&](Value other) { return areAlike(other, condition); }))
        conditions.push_back(condition);
  }
}

void MaskConditions::visit(Value value, unsigned axis) {
  if (tile::getShape(value.getType()).empty() || !seen.insert({value, axis}).second)
    return;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    if (!loop || argument == loop.getInductionVar())
      return;
    carried = true;
    visit(loop.getTiedLoopInit(argument)->get(), axis);
    return visit(loop.getTiedLoopYieldedValue(argument)->get(), axis);
  }
  Operation *op = value.getDefiningOp();
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return visit(loop.getRegionIterArgs()[cast<OpResult>(value).getResultNumber()], axis);
  if (auto load = dyn_cast<tile::LoadOp>(op)) {
    if (load.getMask())
      add(load, axis);
    if (load.getMask() && !load.getOther())
      openLoads.push_back(load);
    return;
  }
  if (auto expand = dyn_cast<tile::ExpandDimsOp>(op))
    return axis == unsigned(expand.getAxis())
               ? void()
               : visit(op->getOperand(0), axis - (axis > unsigned(expand.getAxis())));
  if (auto fold = dyn_cast<tile::ReduceOp>(op))
    return visit(op->getOperand(0), axis + (axis >= unsigned(fold.getAxis())));
  if (auto dot = dyn_cast<tile::DotOp>(op)) {
    unsigned rank = tile::getShape(value.getType()).size();
    if (axis + 2 == rank)
      visit(dot.getLhs(), axis);
    if (axis + 1 == rank)
      visit(dot.getRhs(), axis);
    return visit(dot.getAcc(), axis);
  }
  if (auto trans = dyn_cast<tile::TransOp>(op))
    return visit(op->getOperand(0), trans.getOrder()[axis]);
  if (op->getNumRegions() || isa<tile::ReshapeOp, tile::JoinOp, tile::SplitOp>(op))
    return;
  for (Value operand : op->getOperands())
    if (tile::getShape(operand.getType()).size() == tile::getShape(value.getType()).size())
      visit(operand, axis);
}

bool isNotNegative(Value value, unsigned depth) {
  Operation *op = value.getDefiningOp();
  if (!op || depth > 8)
    return false;
  if (isa<math::AbsFOp, math::AbsIOp, math::ExpOp, math::Exp2Op, math::SqrtOp, arith::UIToFPOp>(op))
    return true;
  if (isa<arith::MaximumFOp, arith::MaxNumFOp>(op))
    return isNotNegative(op->getOperand(0), depth + 1) ||
           isNotNegative(op->getOperand(1), depth + 1);
  if (isa<arith::MulFOp>(op) && op->getOperand(0) == op->getOperand(1))
    return true;
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    Attribute attr = constant.getValue();
    if (auto splat = dyn_cast<SplatElementsAttr>(attr))
      attr = splat.getSplatValue<Attribute>();
    auto real = dyn_cast<FloatAttr>(attr);
    return real && !real.getValue().isNegative();
  }
  if (isa<arith::MulFOp, arith::AddFOp, arith::DivFOp>(op))
    return isNotNegative(op->getOperand(0), depth + 1) &&
           isNotNegative(op->getOperand(1), depth + 1);
  if (isa<arith::SelectOp>(op))
    return isNotNegative(op->getOperand(1), depth + 1) &&
           isNotNegative(op->getOperand(2), depth + 1);
  if (isa<arith::ExtFOp, arith::TruncFOp, tile::BroadcastOp, tile::ExpandDimsOp, tile::SplatOp>(op))
    return isNotNegative(op->getOperand(0), depth + 1);
  if (auto call = dyn_cast<tile::LibdeviceOp>(op))
    return llvm::is_contained({"fabs", "abs", "exp", "exp2", "sqrt"}, call.getName());
  return false;
}

std::optional<double> literalOf(Operation *op) {
  auto constant = dyn_cast_if_present<arith::ConstantOp>(op);
  if (!constant)
    return std::nullopt;
  Attribute attr = constant.getValue();
  if (auto splat = dyn_cast<SplatElementsAttr>(attr))
    attr = splat.getSplatValue<Attribute>();
  if (auto real = dyn_cast<FloatAttr>(attr))
    return real.getValueAsDouble();
  if (auto integer = dyn_cast<IntegerAttr>(attr))
    return integer.getValue().getBitWidth() == 1 ? double(integer.getValue().getZExtValue())
                                                 : double(integer.getValue().getSExtValue());
  return std::nullopt;
}

std::optional<double> constantOf(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (std::optional<double> literal = literalOf(op))
      return literal;
    if (!isa<arith::ExtFOp, arith::TruncFOp, arith::ExtSIOp, arith::SIToFPOp, tile::SplatOp,
             tile::BroadcastOp, tile::ExpandDimsOp>(op))
      return std::nullopt;
    value = op->getOperand(0);
  }
  return std::nullopt;
}

} // namespace nereid::audit
