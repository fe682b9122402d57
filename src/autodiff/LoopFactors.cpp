// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "autodiff/LoopFactors.h"

using namespace mlir;

namespace nereid::autodiff {

/// Whether an operator moves elements or casts them: it gives the same of all turns as of each.
static bool isMove(Operation *op) {
  if (isa<graph::CastOp>(op))
    return isFloating(op->getOperand(0)) && isFloating(op->getResult(0));
  return isa<graph::TransposeOp, graph::ReshapeOp, graph::DetachOp>(op);
}

/// A number, perhaps repeated, that is the same in all turns.
static bool isNumber(Value value) {
  while (auto broadcast = value.getDefiningOp<graph::BroadcastOp>())
    value = broadcast.getInput();
  return isa_and_present<graph::ConstantOp>(value.getDefiningOp());
}

/// Whether a broadcast repeats elements, and does not only add axes of one element.
static bool repeats(graph::BroadcastOp op) {
  ArrayRef<Expr> own = GradientWriter::sizesOf(op.getInput());
  ArrayRef<Expr> sizes = GradientWriter::sizesOf(op.getResult());
  for (auto [axis, size] : llvm::enumerate(sizes)) {
    auto *kept = llvm::find(op.getDims(), int64_t(axis));
    bool isKept = kept != op.getDims().end() && own[kept - op.getDims().begin()] == size;
    if (!isKept && !size.isConstant(1))
      return true;
  }
  return false;
}

/// What a factor is a view of.
static Value withoutMoves(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isMove(op))
      break;
    value = op->getOperand(0);
  }
  return value;
}

/// The factors of a product each of which is repeated along an axis that another one has.
bool LoopFactors::collect(Value product, llvm::SmallSetVector<Value, 4> &found) {
  if (isNumber(product))
    return true;
  Operation *op = product.getDefiningOp();
  if (!op)
    return false;
  if (isa<graph::MulOp>(op))
    return collect(op->getOperand(0), found) && collect(op->getOperand(1), found);
  if (auto broadcast = dyn_cast<graph::BroadcastOp>(op); broadcast && repeats(broadcast)) {
    found.insert(withoutMoves(broadcast.getInput()));
    return true;
  }
  return (isMove(op) || isa<graph::NegOp, graph::BroadcastOp>(op)) &&
         collect(op->getOperand(0), found);
}

bool LoopFactors::plan(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return false;
  if (isa<graph::AddOp, graph::SubOp>(op))
    return plan(op->getOperand(0)) && plan(op->getOperand(1));
  if (isa<graph::MulOp>(op))
    return (isNumber(op->getOperand(0)) && plan(op->getOperand(1))) ||
           (isNumber(op->getOperand(1)) && plan(op->getOperand(0)));
  if (auto pad = dyn_cast<graph::PadOp>(op))
    return isZero(pad.getValue()) && plan(pad.getInput());
  if (isMove(op) || isa<graph::NegOp, graph::BroadcastOp, graph::SliceOp, graph::FlipOp>(op))
    return plan(op->getOperand(0));
  auto fold = dyn_cast<graph::FoldOp>(op);
  if (!fold || fold.getKind() != graph::FoldKind::Sum)
    return false;
  llvm::SmallSetVector<Value, 4> found;
  if (!collect(fold.getInput(), found) || found.size() < 2)
    return plan(fold.getInput());
  factors.insert(found.begin(), found.end());
  return true;
}

/// The same for each turn, as elements along a first axis.
Value LoopFactors::stacked(Given given) {
  if (given.isStacked)
    return given.value;
  ArrayRef<Expr> own = w.sizesOf(given.value);
  SmallVector<Expr> sizes{count};
  llvm::append_range(sizes, own);
  return w.broadcast(given.value, llvm::to_vector(llvm::seq<int64_t>(1, own.size() + 1)), sizes);
}

static SmallVector<int64_t> afterTurn(ArrayRef<int64_t> axes) {
  return llvm::map_to_vector(axes, [](int64_t axis) { return axis + 1; });
}

/// A part of a product for all turns.
LoopFactors::Given LoopFactors::ofAllTurns(Value value, llvm::function_ref<Given(Value)> stackOf) {
  if (Given given = stackOf(value); given.value)
    return given;
  Operation *op = value.getDefiningOp();
  if (op->getNumOperands() == 0)
    return {w.builder.clone(*op)->getResult(0), false};
  SmallVector<Given> operands;
  for (Value operand : op->getOperands())
    operands.push_back(ofAllTurns(operand, stackOf));
  if (llvm::none_of(operands, [](Given given) { return given.isStacked; })) {
    Operation *copy = w.builder.clone(*op);
    for (auto [place, given] : llvm::enumerate(operands))
      copy->setOperand(place, given.value);
    return {copy->getResult(0), false};
  }
  SmallVector<Value> all;
  for (Given given : operands)
    all.push_back(stacked(given));
  SmallVector<Expr> sizes{count};
  llvm::append_range(sizes, w.sizesOf(value));
  if (auto broadcast = dyn_cast<graph::BroadcastOp>(op)) {
    SmallVector<int64_t> dims{0};
    llvm::append_range(dims, afterTurn(broadcast.getDims()));
    return {w.broadcast(all[0], dims, sizes), true};
  }
  if (auto transpose = dyn_cast<graph::TransposeOp>(op)) {
    SmallVector<int64_t> order{0};
    llvm::append_range(order, afterTurn(transpose.getOrder()));
    return {w.transpose(all[0], order), true};
  }
  if (isa<graph::ReshapeOp>(op))
    return {w.reshape(all[0], sizes), true};
  if (isa<graph::CastOp>(op))
    return {w.cast(all[0], w.typeOf(value).getElementType()), true};
  if (isa<graph::DetachOp>(op))
    return {all[0], true};
  if (isa<graph::NegOp>(op))
    return {w.neg(all[0]), true};
  assert(isa<graph::MulOp>(op) && "a part of a product that was not planned");
  return {w.mul(all[0], all[1]), true};
}

Value LoopFactors::sum(Value value, llvm::function_ref<Given(Value)> stackOf) {
  Operation *op = value.getDefiningOp();
  if (auto fold = dyn_cast<graph::FoldOp>(op)) {
    llvm::SmallSetVector<Value, 4> found;
    if (collect(fold.getInput(), found) && found.size() >= 2) {
      SmallVector<int64_t> dims{0};
      llvm::append_range(dims, afterTurn(fold.getDims()));
      return w.fold(graph::FoldKind::Sum, stacked(ofAllTurns(fold.getInput(), stackOf)), dims);
    }
  }
  // All others are linear in what is summed.
  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    operands.push_back(isNumber(operand) ? ofAllTurns(operand, stackOf).value
                                         : sum(operand, stackOf));
  if (isa<graph::DetachOp>(op))
    return operands.front();
  Operation *copy = w.builder.clone(*op);
  copy->setOperands(operands);
  return copy->getResult(0);
}

} // namespace nereid::autodiff
