// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "graph/GraphOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace nereid::graph;

#define GET_OP_CLASSES
#include "graph/GraphProgramOps.cpp.inc"

LogicalResult CompositeOp::verify() {
  Block &block = getBody().front();
  if (block.getArgumentTypes() != TypeRange(getOperands()))
    return emitOpError("c1: the body's arguments have other types than the operands");
  auto yield = dyn_cast<YieldOp>(block.getTerminator());
  if (!yield)
    return emitOpError("c2: the body does not end in graph.yield");
  if (TypeRange(yield.getValues()) != getResultTypes())
    return emitOpError("c2: the body yields other types than the results");
  return success();
}

LogicalResult AssignOp::verify() {
  auto argument = dyn_cast<BlockArgument>(getTarget());
  if (!argument || !isa<func::FuncOp>(argument.getOwner()->getParentOp()))
    return emitOpError("c1: the target is no argument of the program");
  return success();
}
