// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "audit/Dependence.h"

#include "tile/TileOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace nereid::audit {

Dependence::Dependence(func::FuncOp kernel) {
  // What loops carry comes round again.
  for (bool isChanged = true; isChanged;) {
    isChanged = false;
    kernel.walk<WalkOrder::PreOrder>([&](Operation *op) { isChanged |= visit(op); });
  }
}

static bool isBound(Value condition) {
  auto compare = condition.getDefiningOp<arith::CmpIOp>();
  return compare && compare.getPredicate() != arith::CmpIPredicate::eq &&
         compare.getPredicate() != arith::CmpIPredicate::ne;
}

unsigned Dependence::ofPath(Operation *op, bool picks) const {
  unsigned result = 0;
  for (; op; op = op->getParentOp()) {
    if (auto choice = dyn_cast_if_present<scf::IfOp>(op->getParentOp()))
      result |= picks && isBound(choice.getCondition()) ? 0 : of(choice.getCondition());
    if (auto loop = dyn_cast_if_present<scf::ForOp>(op->getParentOp()))
      result |= of(loop.getInductionVar());
    if (auto loop = dyn_cast_if_present<scf::WhileOp>(op->getParentOp()))
      result |= of(loop.getConditionOp().getCondition());
  }
  return result;
}

bool Dependence::add(Value value, unsigned more) {
  unsigned &bits = known[value];
  bool isNew = (bits | more) != bits;
  bits |= more;
  return isNew;
}

bool Dependence::visit(Operation *op) {
  unsigned sum = 0;
  if (auto id = dyn_cast<tile::ProgramIdOp>(op))
    sum = 1u << id.getAxis();
  if (isa<tile::LoadOp, tile::AtomicRmwOp, tile::AtomicCasOp>(op))
    sum |= Memory;
  for (Value operand : op->getOperands())
    sum |= of(operand);
  bool isChanged = false;
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    unsigned turns = of(loop.getLowerBound()) | of(loop.getUpperBound()) | of(loop.getStep());
    isChanged |= add(loop.getInductionVar(), turns);
    for (BlockArgument argument : loop.getRegionIterArgs()) {
      unsigned carried = of(loop.getTiedLoopInit(argument)->get()) |
                         of(loop.getTiedLoopYieldedValue(argument)->get());
      isChanged |= add(argument, carried | turns);
      isChanged |= add(loop.getTiedLoopResult(argument), carried | turns);
    }
    return isChanged;
  }
  if (auto choice = dyn_cast<scf::IfOp>(op)) {
    for (Region *region : {&choice.getThenRegion(), &choice.getElseRegion()})
      if (!region->empty())
        for (auto [result, value] :
             llvm::zip(choice.getResults(), region->front().getTerminator()->getOperands()))
          isChanged |= add(result, sum | of(value));
    return isChanged;
  }
  // Of other regions nothing is followed: their results hang on all that they are given.
  for (Value result : op->getResults())
    isChanged |= add(result, sum);
  return isChanged;
}

} // namespace nereid::audit
