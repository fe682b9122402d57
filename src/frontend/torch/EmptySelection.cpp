// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/torch/EmptySelection.h"

#include "mlir/IR/Matchers.h"

using namespace llvm;

namespace nereid::torch {

/// The number that a constant holds, repeated or not.
static std::optional<double> numberIn(mlir::Value value) {
  mlir::Operation *op = value.getDefiningOp();
  while (op && isa<graph::BroadcastOp, graph::ReshapeOp, graph::CastOp>(op))
    op = op->getOperand(0).getDefiningOp();
  auto constant = dyn_cast_if_present<graph::ConstantOp>(op);
  if (!constant)
    return std::nullopt;
  if (auto integer = dyn_cast<mlir::IntegerAttr>(constant.getValue()))
    return integer.getValue().getBitWidth() == 1 ? integer.getValue().getZExtValue()
                                                 : integer.getValue().getSExtValue();
  if (auto real = dyn_cast<mlir::FloatAttr>(constant.getValue()))
    return real.getValueAsDouble();
  return std::nullopt;
}

static bool isBool(mlir::Value value) {
  return cast<graph::TensorType>(value.getType()).getElementType().isInteger(1);
}

static bool isRearranged(mlir::Operation *op) {
  return isa<graph::BroadcastOp, graph::ReshapeOp, graph::TransposeOp, graph::SliceOp,
             graph::CastOp>(op);
}

/// A mask may be read as numbers, and numbers as a mask.
static mlir::Value withoutCasts(mlir::Value value) {
  while (auto cast = value.getDefiningOp<graph::CastOp>())
    value = cast.getInput();
  return value;
}

/// Whether all elements are 0 or 1: a mask, as numbers or not.
static bool isMask(mlir::Value value) {
  while (!isBool(value)) {
    mlir::Operation *op = value.getDefiningOp();
    if (auto composite = dyn_cast_if_present<graph::CompositeOp>(op))
      value = composite.getBody().front().getTerminator()->getOperand(
          cast<mlir::OpResult>(value).getResultNumber());
    else if (op && isRearranged(op))
      value = op->getOperand(0);
    else
      return false;
  }
  return true;
}

/// The mask that a value counts: its sum, or whether any of it holds.
static mlir::Value countedMask(mlir::Value value) {
  while (mlir::Operation *op = value.getDefiningOp()) {
    auto fold = dyn_cast<graph::FoldOp>(op);
    auto composite = dyn_cast<graph::CompositeOp>(op);
    auto product = dyn_cast<graph::MulOp>(op);
    bool counts =
        fold && (fold.getKind() == graph::FoldKind::Sum || fold.getKind() == graph::FoldKind::Any ||
                 fold.getKind() == graph::FoldKind::Max);
    counts |= composite && composite->getNumOperands() == 1 &&
              any_of(std::array{"aten::sum", "aten::count_nonzero", "aten::any"},
                     [&](StringRef name) { return composite.getName().starts_with(name); });
    if (counts && isMask(op->getOperand(0)))
      return withoutCasts(op->getOperand(0));
    // Times the size of a row: where that is 0 there is no element either.
    bool isOfRows = product && (product.getRhs().getDefiningOp<graph::SizeOp>() ||
                                numberIn(product.getRhs()).value_or(0) >= 1);
    if (!isOfRows && !counts && !isa<graph::CastOp, graph::ReshapeOp>(op))
      return mlir::Value();
    value = op->getOperand(0);
  }
  return mlir::Value();
}

std::optional<MaskCondition> asMaskCondition(mlir::Value condition) {
  mlir::Operation *op = condition.getDefiningOp();
  if (auto inverted = dyn_cast_if_present<graph::NotOp>(op)) {
    std::optional<MaskCondition> inner = asMaskCondition(inverted->getOperand(0));
    if (inner)
      inner->isNegated = !inner->isNegated;
    return inner;
  }
  std::optional<double> bound =
      op && op->getNumOperands() == 2 ? numberIn(op->getOperand(1)) : std::nullopt;
  if (bound) {
    bool meansNone =
        (isa<graph::EqOp, graph::LeOp>(op) && *bound == 0) || (isa<graph::LtOp>(op) && *bound == 1);
    bool meansSome =
        (isa<graph::NeOp, graph::GtOp>(op) && *bound == 0) || (isa<graph::GeOp>(op) && *bound == 1);
    mlir::Value counted = meansNone || meansSome ? countedMask(op->getOperand(0)) : mlir::Value();
    return counted ? std::optional(MaskCondition{counted, meansNone}) : std::nullopt;
  }
  mlir::Value counted = countedMask(condition);
  return counted ? std::optional(MaskCondition{counted, false}) : std::nullopt;
}

mlir::Value EmptySelection::resolve(mlir::Value value) const {
  for (auto found = arguments.find(value); found != arguments.end(); found = arguments.find(value))
    value = found->second;
  return value;
}

/// What a composite makes a result of; null for other values.
mlir::Value EmptySelection::yielded(mlir::Value value) {
  auto composite = value.getDefiningOp<graph::CompositeOp>();
  if (!composite)
    return mlir::Value();
  mlir::Block &body = composite.getBody().front();
  for (auto [argument, operand] : zip_equal(body.getArguments(), composite.getOperands()))
    arguments[argument] = operand;
  return body.getTerminator()->getOperand(cast<mlir::OpResult>(value).getResultNumber());
}

bool EmptySelection::isFalse(mlir::Value value) {
  value = resolve(value);
  if (equal(value, mask))
    return true;
  mlir::Operation *op = value.getDefiningOp();
  if (!op)
    return false;
  auto fold = dyn_cast<graph::FoldOp>(op);
  if (isRearranged(op) || (fold && fold.getKind() == graph::FoldKind::Any))
    return isFalse(op->getOperand(0));
  if (isa<graph::AndOp>(op))
    return isFalse(op->getOperand(0)) || isFalse(op->getOperand(1));
  return false;
}

bool EmptySelection::isZero(mlir::Value value) {
  value = resolve(value);
  if (std::optional<double> number = numberIn(value))
    return *number == 0;
  if (mlir::Value inner = yielded(value))
    return isZero(inner);
  mlir::Operation *op = value.getDefiningOp();
  if (!op)
    return false;
  if (auto where = dyn_cast<graph::WhereOp>(op))
    return isFalse(where.getCondition()) ? isZero(where.getRhs())
                                         : isZero(where.getLhs()) && isZero(where.getRhs());
  auto fold = dyn_cast<graph::FoldOp>(op);
  auto scatter = dyn_cast<graph::ScatterOp>(op);
  if (isRearranged(op) || (fold && fold.getKind() == graph::FoldKind::Sum) ||
      (scatter && scatter.getKind() == graph::FoldKind::Sum))
    return isZero(op->getOperand(0));
  return false;
}

bool EmptySelection::isUnchanged(mlir::Value after, mlir::Value before) {
  after = resolve(after);
  if (after == before || equal(after, before))
    return true;
  if (mlir::Value inner = yielded(after))
    return isUnchanged(inner, before);
  mlir::Operation *op = after.getDefiningOp();
  if (auto where = dyn_cast_if_present<graph::WhereOp>(op))
    return isUnchanged(where.getRhs(), before) &&
           (isFalse(where.getCondition()) || isUnchanged(where.getLhs(), before));
  if (auto sum = dyn_cast_if_present<graph::AddOp>(op))
    return isUnchanged(sum.getLhs(), before) && isZero(sum.getRhs());
  return false;
}

} // namespace nereid::torch
