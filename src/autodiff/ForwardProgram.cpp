// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The forward program: the program itself, which returns what is saved besides.
#include "autodiff/BackwardProgram.h"

#include "graph/BranchMark.h"

using namespace mlir;

namespace nereid::autodiff {

/// A result of a composite that is an inner value of it.
static Value yieldOutside(graph::CompositeOp composite, Value inner) {
  Operation *yield = composite.getBody().front().getTerminator();
  for (auto [value, result] : llvm::zip_equal(yield->getOperands(), composite.getResults()))
    if (value == inner)
      return result;
  yield->insertOperands(yield->getNumOperands(), inner);
  OpBuilder builder(composite);
  SmallVector<Type> types(composite.getResultTypes());
  types.push_back(inner.getType());
  auto wider = graph::CompositeOp::create(builder, composite.getLoc(), types, composite.getName(),
                                          composite.getOperands());
  wider.getBody().takeBody(composite.getBody());
  for (auto [before, after] : llvm::zip(composite.getResults(), wider.getResults()))
    before.replaceAllUsesWith(after);
  composite->erase();
  return wider.getResults().back();
}

static Value atTop(Value value) {
  while (auto composite = dyn_cast<graph::CompositeOp>(value.getParentBlock()->getParentOp()))
    value = yieldOutside(composite, value);
  return value;
}

/// The product of the sizes; null for a single element.
static index::Expr countElements(graph::TensorType type) {
  index::Expr count;
  for (index::Expr size : type.getSizes())
    if (!size.isConstant(1))
      count = count ? count * size : size;
  return count;
}

/// What has the same elements in the same order.
static Value withoutReshapes(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (auto broadcast = dyn_cast<graph::BroadcastOp>(op)) {
      if (countElements(broadcast.getInput().getType()) != countElements(broadcast.getType()))
        break;
    } else if (!isa<graph::ReshapeOp>(op)) {
      break;
    }
    value = op->getOperand(0);
  }
  return value;
}

/// The place of a tensor among others; their number where it is none of them.
static unsigned findTensor(ValueRange tensors, Value tensor) {
  Value source = withoutReshapes(tensor);
  auto found = llvm::find_if(tensors, [&](Value other) {
    return other.getType() == tensor.getType() && withoutReshapes(other) == source;
  });
  return std::distance(tensors.begin(), found);
}

void dropGradientMarks(Operation *program) {
  program->walk([](Operation *op) {
    if (auto composite = dyn_cast<graph::CompositeOp>(op))
      composite.getGradient().getBlocks().clear();
    if (auto detach = dyn_cast<graph::DetachOp>(op)) {
      detach.getResult().replaceAllUsesWith(detach.getInput());
      detach.erase();
    } else {
      op->removeDiscardableAttr(graph::branchMark);
    }
  });
}

void writeForward(Joint &joint, ArrayRef<Saved> saved, StringRef backwardName) {
  func::FuncOp program = joint.program;
  OpBuilder builder(program.getContext());
  Operation *end = program.front().getTerminator();
  unsigned own = program.getNumResults();
  SmallVector<Attribute> list;
  // The values of the program stay valid while composites are widened, and so their places.
  for (const Saved &item : saved) {
    NamedAttrList entry;
    int result = item.result;
    if (item.size) {
      entry.set("size", sym::ExprAttr::get(program.getContext(), item.size));
    } else if (item.argument >= 0) {
      entry.set("argument", builder.getI64IntegerAttr(item.argument));
    } else {
      if (result < 0) {
        auto argument = dyn_cast<BlockArgument>(item.value);
        Value value = argument ? Value(program.getArgument(argument.getArgNumber()))
                               : atTop(joint.originals.lookup(item.value));
        // An inner value of a composite may be its result, and that a result of the program.
        result = findTensor(end->getOperands(), value);
        if (unsigned(result) == end->getNumOperands())
          end->insertOperands(result, value);
      }
      entry.set("result", builder.getI64IntegerAttr(result));
    }
    if (item.shapeOnly)
      entry.set("shape", builder.getUnitAttr());
    list.push_back(entry.getDictionary(program.getContext()));
  }
  program.setType(builder.getFunctionType(program.getArgumentTypes(), end->getOperandTypes()));
  for (unsigned result = own; result < end->getNumOperands(); ++result)
    program.setResultAttr(result, "graph.saved", builder.getUnitAttr());
  program->setAttr("graph.saved", builder.getArrayAttr(list));
  program->setAttr("graph.backward", FlatSymbolRefAttr::get(program.getContext(), backwardName));
  dropGradientMarks(program);
}

} // namespace nereid::autodiff
