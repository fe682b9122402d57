// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "graph/RoundingSteps.h"

#include "graph/GraphOps.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace nereid::graph {

namespace {

Type elementOf(mlir::Value value) {
  auto type = dyn_cast<TensorType>(value.getType());
  return type ? type.getElementType() : Type();
}

/// Broadcasts and casts of a zero are zeros.
bool isZero(mlir::Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (auto constant = dyn_cast<ConstantOp>(op)) {
      auto number = dyn_cast<FloatAttr>(constant.getValue());
      return number && number.getValue().isZero();
    }
    if (!isa<BroadcastOp, CastOp, ReshapeOp>(op))
      return false;
    value = op->getOperand(0);
  }
  return false;
}

/// Whether something outside of operators without effects hangs on a value: of
/// `values, _ = x.max(1)` nothing reads the places.
bool isRead(mlir::Value value) {
  llvm::SetVector<mlir::Value> values;
  values.insert(value);
  for (size_t i = 0; i < values.size(); ++i)
    for (OpOperand &use : values[i].getUses()) {
      Operation *user = use.getOwner();
      if (isa<CompositeOp>(user)) {
        values.insert(user->getRegion(0).getArgument(use.getOperandNumber()));
        continue;
      }
      bool isResult = isa<YieldOp>(user) && isa<CompositeOp>(user->getParentOp()) &&
                      user->getParentRegion() == &user->getParentOp()->getRegion(0);
      if (isResult)
        values.insert(user->getParentOp()->getResult(use.getOperandNumber()));
      else if (user->getNumResults() == 0 || user->getNumRegions() > 0)
        return true;
      else
        values.insert(user->result_begin(), user->result_end());
    }
  return false;
}

/// Whether this use of a number is a step.
bool isStep(OpOperand &use) {
  Operation *user = use.getOwner();
  if (isa<FloorOp, CeilOp, TruncOp, RoundOp, FloordivOp, TruncdivOp, FmodOp, RemainderOp, SearchOp,
          OrderOp>(user))
    return true;
  if (isa<EqOp, NeOp, LtOp, LeOp, GtOp, GeOp>(user))
    return !isZero(user->getOperand(1 - use.getOperandNumber()));
  if (isa<CastOp>(user))
    return isa<IntegerType>(elementOf(user->getResult(0))) &&
           !elementOf(user->getResult(0)).isInteger(1);
  if (auto fold = dyn_cast<FoldOp>(user))
    return fold.getKind() == FoldKind::Argmax || fold.getKind() == FoldKind::Argmin;
  return isa<SortOp>(user);
}

/// Whether something reads a step's result; of a sort it is the places that are a step.
bool isAnyRead(Operation *step) {
  if (auto sort = dyn_cast<SortOp>(step))
    return isRead(sort.getIndices());
  return llvm::any_of(step->getResults(), isRead);
}

/// Whether what an operator makes has the digits of its operand.
bool keepsDigits(Operation *user) {
  if (isa<SignOp, IsnanOp, IsinfOp>(user))
    return false;
  if (auto fold = dyn_cast<FoldOp>(user))
    return fold.getKind() == FoldKind::Max || fold.getKind() == FoldKind::Min;
  if (auto scan = dyn_cast<ScanOp>(user))
    return scan.getKind() == FoldKind::Max || scan.getKind() == FoldKind::Min;
  return !isa<ScatterOp, SegmentOp>(user);
}

/// The values that one use makes of a number.
void addResults(OpOperand &use, llvm::SetVector<mlir::Value> &values) {
  Operation *user = use.getOwner();
  auto add = [&](mlir::Value value) {
    if (isa_and_nonnull<FloatType>(elementOf(value)))
      values.insert(value);
  };
  if (isa<CompositeOp, LoopOp>(user))
    add(user->getRegion(0).getArgument(use.getOperandNumber()));
  else if (auto loop = dyn_cast<LoopOp>(user->getParentOp()); loop && isa<YieldOp>(user)) {
    add(loop.getResult(use.getOperandNumber()));
    if (use.getOperandNumber() < loop.getInits().size())
      add(loop.getBody().getArgument(use.getOperandNumber()));
  } else if (isa<YieldOp>(user)) {
    Operation *parent = user->getParentOp();
    // The gradient of a composite is computed elsewhere.
    if (user->getParentRegion() == &parent->getRegion(0))
      add(parent->getResult(use.getOperandNumber()));
  } else if (keepsDigits(user)) {
    for (mlir::Value result : user->getResults())
      add(result);
  }
}

} // namespace

bool reachesStep(mlir::Value value) {
  llvm::SetVector<mlir::Value> values;
  values.insert(value);
  for (size_t i = 0; i < values.size(); ++i)
    for (OpOperand &use : values[i].getUses()) {
      if (isStep(use) && isAnyRead(use.getOwner()))
        return true;
      addResults(use, values);
    }
  return false;
}

} // namespace nereid::graph
