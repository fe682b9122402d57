// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/torch/KnownPlaces.h"

#include "graph/GraphOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace llvm;
using nereid::index::Expr;

namespace nereid::torch {

namespace {
/// `start` plus the sum of `steps[d] * i[d]` for the element at the indices `i`.
struct LinearTensor {
  Expr start;
  SmallVector<Expr, 4> steps;
};

/// Reads a tensor by what made it.
class LinearReader {
public:
  explicit LinearReader(index::Context &context) : zero(context.constant(0)) {}

  std::optional<LinearTensor> read(mlir::Value value);

private:
  static bool isWide(mlir::Value value) {
    mlir::Type element = cast<graph::TensorType>(value.getType()).getElementType();
    return element.isInteger(64) || element.isInteger(32);
  }
  static ArrayRef<Expr> sizesOf(mlir::Value value) {
    return cast<graph::TensorType>(value.getType()).getSizes();
  }
  std::optional<LinearTensor> readView(mlir::Operation &op);
  std::optional<LinearTensor> readReshape(graph::ReshapeOp op, LinearTensor input);
  std::optional<LinearTensor> readSum(mlir::Operation &op, int64_t sign);
  std::optional<LinearTensor> readProduct(graph::MulOp op);

  Expr zero;
};
} // namespace

/// Sizes of 1 may come and go: no other axis moves.
std::optional<LinearTensor> LinearReader::readReshape(graph::ReshapeOp op, LinearTensor input) {
  ArrayRef<Expr> from = sizesOf(op.getInput()), to = sizesOf(op.getResult());
  LinearTensor made{input.start, {}};
  size_t axis = 0;
  for (Expr size : to) {
    while (axis < from.size() && from[axis].isConstant(1) && !size.isConstant(1))
      ++axis;
    if (size.isConstant(1) && (axis == from.size() || !from[axis].isConstant(1))) {
      made.steps.push_back(zero);
      continue;
    }
    if (axis == from.size() || from[axis] != size)
      return std::nullopt;
    made.steps.push_back(input.steps[axis++]);
  }
  return made;
}

std::optional<LinearTensor> LinearReader::readView(mlir::Operation &op) {
  std::optional<LinearTensor> input = read(op.getOperand(0));
  if (!input)
    return std::nullopt;
  ArrayRef<Expr> from = sizesOf(op.getOperand(0));
  if (auto broadcast = dyn_cast<graph::BroadcastOp>(op)) {
    LinearTensor made{input->start, {}};
    made.steps.assign(sizesOf(broadcast.getResult()).size(), zero);
    for (auto [axis, dim] : enumerate(broadcast.getDims()))
      if (!from[axis].isConstant(1))
        made.steps[dim] = input->steps[axis];
    return made;
  }
  if (auto transpose = dyn_cast<graph::TransposeOp>(op)) {
    LinearTensor made{input->start, {}};
    for (int64_t axis : transpose.getOrder())
      made.steps.push_back(input->steps[axis]);
    return made;
  }
  if (auto slice = dyn_cast<graph::SliceOp>(op)) {
    Expr &step = input->steps[slice.getDim()];
    input->start = input->start + step * slice.getStart().getExpr();
    step = step * slice.getStep();
    return input;
  }
  if (auto flip = dyn_cast<graph::FlipOp>(op)) {
    for (int64_t dim : flip.getDims()) {
      input->start = input->start + input->steps[dim] * (from[dim] - 1);
      input->steps[dim] = -input->steps[dim];
    }
    return input;
  }
  if (auto reshape = dyn_cast<graph::ReshapeOp>(op))
    return readReshape(reshape, *input);
  return input;
}

std::optional<LinearTensor> LinearReader::readSum(mlir::Operation &op, int64_t sign) {
  std::optional<LinearTensor> left = read(op.getOperand(0));
  std::optional<LinearTensor> right = left ? read(op.getOperand(1)) : std::nullopt;
  if (!right)
    return std::nullopt;
  left->start = left->start + right->start * sign;
  for (auto [step, other] : zip_equal(left->steps, right->steps))
    step = step + other * sign;
  return left;
}

std::optional<LinearTensor> LinearReader::readProduct(graph::MulOp op) {
  std::optional<LinearTensor> left = read(op.getOperand(0));
  std::optional<LinearTensor> right = left ? read(op.getOperand(1)) : std::nullopt;
  if (!right)
    return std::nullopt;
  auto isSame = [](const LinearTensor &tensor) {
    return all_of(tensor.steps, [](Expr step) { return step.isConstant(0); });
  };
  if (!isSame(*right))
    std::swap(left, right);
  if (!isSame(*right))
    return std::nullopt;
  for (Expr &step : left->steps)
    step = step * right->start;
  left->start = left->start * right->start;
  return left;
}

std::optional<LinearTensor> LinearReader::read(mlir::Value value) {
  mlir::Operation *op = value.getDefiningOp();
  // Smaller integers wrap round.
  if (!op || !isWide(value))
    return std::nullopt;
  return TypeSwitch<mlir::Operation *, std::optional<LinearTensor>>(op)
      .Case([&](graph::SizeOp size) { return LinearTensor{size.getExpr().getExpr(), {}}; })
      .Case([&](graph::ConstantOp constant) {
        auto number = dyn_cast<mlir::IntegerAttr>(constant.getValue());
        return number ? std::optional(LinearTensor{zero + number.getInt(), {}}) : std::nullopt;
      })
      .Case([&](graph::IotaOp iota) {
        LinearTensor made{zero, {}};
        made.steps.assign(sizesOf(iota.getResult()).size(), zero);
        made.steps[iota.getDim()] = zero + 1;
        return made;
      })
      .Case([&](graph::CastOp cast) {
        return isWide(cast.getInput()) ? read(cast.getInput()) : std::nullopt;
      })
      .Case<graph::BroadcastOp, graph::TransposeOp, graph::SliceOp, graph::FlipOp, graph::ReshapeOp,
            graph::ContiguousOp, graph::DetachOp>([&](auto view) { return readView(*view); })
      .Case([&](graph::AddOp sum) { return readSum(*sum, 1); })
      .Case([&](graph::SubOp difference) { return readSum(*difference, -1); })
      .Case([&](graph::MulOp product) { return readProduct(product); })
      .Default(std::nullopt);
}

std::optional<PlaceRange> findRangeOfPlaces(mlir::Value tensor, index::Context &context,
                                            function_ref<index::Truth(index::Pred)> truth) {
  std::optional<LinearTensor> found = LinearReader(context).read(tensor);
  if (!found)
    return std::nullopt;
  PlaceRange range{found->start, found->start};
  ArrayRef<Expr> sizes = cast<graph::TensorType>(tensor.getType()).getSizes();
  for (auto [step, size] : zip_equal(found->steps, sizes)) {
    bool rises = truth(index::ge(step, 0)) == index::Truth::True;
    if (!rises && truth(index::le(step, 0)) != index::Truth::True)
      return std::nullopt;
    Expr &end = rises ? range.greatest : range.least;
    end = end + step * (size - 1);
  }
  return range;
}

std::optional<int64_t> findAxisOfPlaces(mlir::Value tensor, index::Context &context) {
  std::optional<LinearTensor> linear = LinearReader(context).read(tensor);
  if (!linear || !linear->start.isConstant(0))
    return std::nullopt;
  std::optional<int64_t> axis;
  for (auto [dim, step] : enumerate(linear->steps)) {
    if (step.isConstant(0))
      continue;
    if (axis || !step.isConstant(1))
      return std::nullopt;
    axis = dim;
  }
  return axis;
}

/// Whether the two operands are the indices of the first and the second axis.
static bool compareIndices(mlir::Operation &op, index::Context &context) {
  std::optional<int64_t> left = findAxisOfPlaces(op.getOperand(0), context),
                         right = findAxisOfPlaces(op.getOperand(1), context);
  return left && right && *left + *right == 1;
}

/// The same on the diagonal, as a truth value or as the number 1.
static bool isDiagonal(mlir::Value value, index::Context &context) {
  while (auto cast = value.getDefiningOp<graph::CastOp>())
    value = cast.getInput();
  auto equal = value.getDefiningOp<graph::EqOp>();
  return equal && compareIndices(*equal, context);
}

bool isOffDiagonal(mlir::Value mask, index::Context &context) {
  if (auto inverse = mask.getDefiningOp<graph::NotOp>())
    return isDiagonal(inverse.getOperand(), context);
  if (auto differs = mask.getDefiningOp<graph::NeOp>())
    return compareIndices(*differs, context);
  // torch.eye(n) == 0
  auto isZero = mask.getDefiningOp<graph::EqOp>();
  auto broadcast = isZero ? isZero->getOperand(1).getDefiningOp<graph::BroadcastOp>() : nullptr;
  auto zero = broadcast ? broadcast.getInput().getDefiningOp<graph::ConstantOp>() : nullptr;
  auto number = zero ? dyn_cast<mlir::FloatAttr>(zero.getValue()) : nullptr;
  return number && number.getValue().isZero() && isDiagonal(isZero->getOperand(0), context);
}

} // namespace nereid::torch
