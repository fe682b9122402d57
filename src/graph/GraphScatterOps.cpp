// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "graph/GraphOps.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace nereid::graph;
using nereid::index::Expr;
using Tensor = nereid::graph::TensorType;

#define GET_OP_CLASSES
#include "graph/GraphScatterOps.cpp.inc"

static bool isGrouped(FoldKind kind) {
  return kind == FoldKind::Sum || kind == FoldKind::Prod || kind == FoldKind::Max ||
         kind == FoldKind::Min;
}

LogicalResult ScatterOp::verify() {
  Tensor updates = getUpdates().getType(), result = getResult().getType();
  int64_t dim = getDim();
  if (getIndices().getType().getSizes() != updates.getSizes())
    return emitOpError("c1: the indices have other sizes than the updates");
  if (dim < 0 || dim >= updates.getRank())
    return emitOpError("c2: axis ") << dim << " does not lie within rank " << updates.getRank();
  if (updates.getRank() != result.getRank())
    return emitOpError("c2: ranks differ: ") << updates.getRank() << " and " << result.getRank();
  for (int64_t axis = 0; axis < updates.getRank(); ++axis)
    if (axis != dim && updates.getSizes()[axis] != result.getSizes()[axis])
      return emitOpError("c2: sizes differ along axis ")
             << axis << ": " << updates << " and " << result;
  if (updates.getElementType() != result.getElementType())
    return emitOpError("c2: element types differ: ")
           << updates.getElementType() << " and " << result.getElementType();
  if (!isGrouped(getKind()))
    return emitOpError("c4: ") << stringifyFoldKind(getKind()) << " is not sum, prod, max or min";
  return success();
}

/// Whether a fold of some of the rows of `input` may have this result.
static LogicalResult verifyRowFold(Operation *op, Tensor input, Tensor result, FoldKind kind) {
  if (input.getRank() != result.getRank() ||
      input.getSizes().drop_front() != result.getSizes().drop_front() ||
      input.getElementType() != result.getElementType())
    return op->emitOpError("c2: input and result differ in more than their rows: ")
           << input << " and " << result;
  if (!isGrouped(kind))
    return op->emitOpError("c3: ") << stringifyFoldKind(kind) << " is not sum, prod, max or min";
  return success();
}

LogicalResult SegmentOp::verify() {
  Tensor bounds = getBounds().getType(), result = getResult().getType();
  if (bounds.getRank() != 1 || result.getRank() < 1 ||
      bounds.getSizes()[0] != result.getSizes()[0] + 1)
    return emitOpError("c1: bounds have one element more than the result has rows, found ")
           << bounds << " and " << result;
  return verifyRowFold(*this, getInput().getType(), result, getKind());
}

LogicalResult RunsOp::verify() {
  Tensor starts = getStarts().getType(), result = getResult().getType();
  if (starts.getRank() != 1 || result.getRank() < 1 || starts.getSizes()[0] != result.getSizes()[0])
    return emitOpError("c1: starts have an element for each row of the result, found ")
           << starts << " and " << result;
  return verifyRowFold(*this, getInput().getType(), result, getKind());
}

LogicalResult SearchOp::verify() {
  Tensor keys = getKeys().getType(), values = getValues().getType();
  Tensor result = getResult().getType();
  if (keys.getRank() < 1 || keys.getRank() != values.getRank() ||
      keys.getSizes().drop_back() != values.getSizes().drop_back())
    return emitOpError("c1: keys and values differ before their last axis: ")
           << keys << " and " << values;
  if (keys.getElementType() != values.getElementType())
    return emitOpError("c2: element types differ: ")
           << keys.getElementType() << " and " << values.getElementType();
  if (result.getSizes() != values.getSizes() || !result.getElementType().isInteger(64))
    return emitOpError("c3: the result is i64 and has the sizes of the values, found ") << result;
  return success();
}
