// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "graph/GraphOps.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace nereid::graph;

#define GET_OP_CLASSES
#include "graph/GraphPointwiseOps.cpp.inc"

LogicalResult CastOp::verify() {
  if (getInput().getType().getSizes() != getResult().getType().getSizes())
    return emitOpError("c1: the sizes of input and result differ: ")
           << getInput().getType() << " and " << getResult().getType();
  return success();
}
