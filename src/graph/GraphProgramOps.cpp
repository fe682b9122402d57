// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "graph/GraphOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace nereid::graph;

#define GET_OP_CLASSES
#include "graph/GraphProgramOps.cpp.inc"

/// The element type in which a gradient is held.
static Type gradientLike(Type type) {
  auto tensor = cast<nereid::graph::TensorType>(type);
  bool isNarrow = tensor.getElementType().getIntOrFloatBitWidth() < 32;
  return isNarrow ? tensor.withElementType(Float32Type::get(type.getContext())) : tensor;
}

static SmallVector<Type> gradientsOf(TypeRange types) {
  SmallVector<Type> gradients;
  for (Type type : types)
    if (isa<FloatType>(cast<nereid::graph::TensorType>(type).getElementType()))
      gradients.push_back(gradientLike(type));
  return gradients;
}

static LogicalResult verifyGradient(CompositeOp op) {
  Block &block = op.getGradient().front();
  SmallVector<Type> taken = gradientsOf(op.getResultTypes());
  llvm::append_range(taken, op.getOperands().getTypes());
  llvm::append_range(taken, op.getResultTypes());
  if (block.getArgumentTypes() != TypeRange(taken))
    return op.emitOpError(
        "c3: the gradient takes other types than gradients, operands and results");
  auto yield = dyn_cast<YieldOp>(block.getTerminator());
  if (!yield || yield.getValues().getTypes() != TypeRange(gradientsOf(op.getOperands().getTypes())))
    return op.emitOpError(
        "c3: the gradient yields other types than its floating-point operands have");
  return success();
}

LogicalResult CompositeOp::verify() {
  Block &block = getBody().front();
  if (block.getArgumentTypes() != TypeRange(getOperands()))
    return emitOpError("c1: the body's arguments have other types than the operands");
  auto yield = dyn_cast<YieldOp>(block.getTerminator());
  if (!yield)
    return emitOpError("c2: the body does not end in graph.yield");
  if (TypeRange(yield.getValues()) != getResultTypes())
    return emitOpError("c2: the body yields other types than the results");
  return getGradient().empty() ? success() : verifyGradient(*this);
}

LogicalResult AssignOp::verify() {
  auto argument = dyn_cast<BlockArgument>(getTarget());
  if (!argument || !isa<func::FuncOp>(argument.getOwner()->getParentOp()))
    return emitOpError("c1: the target is no argument of the program");
  return success();
}
