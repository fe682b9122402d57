// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "graph/GraphOps.h"
#include "graph/GraphPointwise.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace nereid::graph;

#define GET_OP_CLASSES
#include "graph/GraphPointwiseOps.cpp.inc"

bool nereid::graph::isPointwise(Operation *op) {
  return isa<
#define GET_OP_LIST
#include "graph/GraphPointwiseOps.cpp.inc"
      >(op);
}

LogicalResult CastOp::verify() {
  if (getInput().getType().getSizes() != getResult().getType().getSizes())
    return emitOpError("c1: the sizes of input and result differ: ")
           << getInput().getType() << " and " << getResult().getType();
  return success();
}

LogicalResult OrderOp::verify() {
  if (getInput().getType().getSizes() != getResult().getType().getSizes())
    return emitOpError("c1: the sizes of input and result differ: ")
           << getInput().getType() << " and " << getResult().getType();
  unsigned width = getInput().getType().getElementType().getIntOrFloatBitWidth() == 64 ? 64 : 32;
  if (Type found = getResult().getType().getElementType(); !found.isSignlessInteger(width))
    return emitOpError("c2: the result is i") << width << ", found " << found;
  return success();
}

LogicalResult CheckIndexOp::verify() {
  if (Type found = getIndex().getType().getElementType(); !found.isSignlessInteger(64))
    return emitOpError("c2: indices are i64, found ") << found;
  return success();
}
