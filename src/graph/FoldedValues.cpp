// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "graph/FoldedValues.h"

#include "graph/GraphPointwise.h"

using namespace llvm;
using nereid::index::Expr;

namespace nereid::graph {

bool isLinearView(mlir::Operation *op) {
  return isa<IotaOp, BroadcastOp, TransposeOp, ReshapeOp, ContiguousOp, DetachOp, SliceOp, FlipOp,
             WindowOp>(op);
}

static ArrayRef<Expr> sizesOf(mlir::Value value) {
  return cast<TensorType>(value.getType()).getSizes();
}

mlir::Value acrossBounds(mlir::Value value) {
  if (auto argument = dyn_cast<mlir::BlockArgument>(value)) {
    auto composite = dyn_cast<CompositeOp>(argument.getOwner()->getParentOp());
    return composite ? composite.getOperands()[argument.getArgNumber()] : mlir::Value();
  }
  auto composite = value.getDefiningOp<CompositeOp>();
  unsigned number = cast<mlir::OpResult>(value).getResultNumber();
  return composite ? composite.getBody().front().getTerminator()->getOperand(number)
                   : mlir::Value();
}

std::optional<AxisGroups> findSplits(ArrayRef<Expr> whole, ArrayRef<Expr> parts) {
  AxisGroups groups;
  unsigned next = 0;
  for (Expr size : whole) {
    unsigned first = next;
    Expr product = size.getContext().constant(1);
    while (product != size && next < parts.size())
      product = product * parts[next++];
    if (product != size)
      return std::nullopt;
    groups.push_back({first, next});
  }
  bool areOnes = all_of(parts.drop_front(next), [](Expr size) { return size.isConstant(1); });
  return areOnes ? std::optional(groups) : std::nullopt;
}

/// Whether the readers of a reshape may read its operand in its place.
static bool isTransparent(ReshapeOp reshape) {
  ArrayRef<Expr> from = sizesOf(reshape.getInput()), to = sizesOf(reshape.getResult());
  if (findSplits(from, to))
    return true;
  // A fold over merged axes is one over each of them.
  return findSplits(to, from) && all_of(reshape->getUsers(), IsaPred<FoldOp>);
}

/// What becomes of a value by way of one of its readers.
FoldedValues::Use FoldedValues::followed(mlir::OpOperand &operand) const {
  mlir::Operation *user = operand.getOwner();
  if (auto fold = dyn_cast<FoldOp>(user)) {
    bool keepsElement = fold.getKind() != FoldKind::Argmax && fold.getKind() != FoldKind::Argmin;
    return {keepsElement ? user : nullptr, 0, keepsElement, !keepsElement};
  }
  unsigned number = operand.getOperandNumber();
  // The same value within the composite, or outside of it.
  if (auto composite = dyn_cast<CompositeOp>(user))
    return uses.lookup(composite.getBody().getArgument(number));
  if (auto composite = dyn_cast<CompositeOp>(user->getParentOp()); composite && isa<YieldOp>(user))
    return uses.lookup(composite.getResult(number));
  bool isMap = isPointwise(user) && !isa<OrderOp>(user);
  auto reshape = dyn_cast<ReshapeOp>(user);
  bool isView = isLinearView(user) && (!reshape || isTransparent(reshape));
  if (!isMap && !isView)
    return {nullptr, 0, false, true};
  Use result = uses.lookup(user->getResult(0));
  // What is repeated is better stored.
  bool repeats = isa<BroadcastOp, WindowOp>(user);
  return {repeats || !result.isDeferred ? nullptr : result.fold, result.depth + 1,
          result.isDeferred, !result.isDeferred};
}

FoldedValues::Use FoldedValues::combine(mlir::Value value) const {
  // So deep a recursion is no danger.
  constexpr unsigned mostDepth = 200;
  Use all;
  bool isFirst = true;
  for (mlir::OpOperand &operand : value.getUses()) {
    Use use = followed(operand);
    if (use.depth > mostDepth)
      use = {nullptr, 0, false, true};
    all.fold = isFirst || all.fold == use.fold ? use.fold : nullptr;
    all.depth = std::max(all.depth, use.depth);
    all.isDeferred |= use.isDeferred;
    all.isRead |= use.isRead;
    isFirst = false;
  }
  return all;
}

void FoldedValues::add(mlir::Block &block) {
  // Readers come first.
  for (mlir::Operation &op : reverse(block)) {
    for (mlir::Value result : op.getResults()) {
      Use use = combine(result);
      bool isReturned = any_of(result.getUsers(), [](mlir::Operation *user) {
        return user->hasTrait<mlir::OpTrait::IsTerminator>() && !isa<YieldOp>(user);
      });
      // What is returned is rounded for all that read it.
      if (isLinearView(&op) || isa<CompositeOp>(op))
        use.isDeferred &= !isReturned;
      else
        use.isDeferred = use.fold && isPointwise(&op) && !isa<OrderOp>(&op);
      uses[result] = use;
    }
    for (mlir::Region &region : op.getRegions())
      for (mlir::Block &inner : region)
        add(inner);
  }
  for (mlir::Value argument : block.getArguments())
    uses[argument] = combine(argument);
}

} // namespace nereid::graph
