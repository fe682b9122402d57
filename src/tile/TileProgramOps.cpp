// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tile/TileOps.h"
#include "tile/TileTypes.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "tile/TileProgramOps.cpp.inc"

namespace nereid::tile {

template <typename GridOp> static LogicalResult verifyGridAxis(GridOp op) {
  int32_t axis = op.getAxis();
  if (axis < 0 || axis > 2)
    return op.emitOpError() << "c1: axis must be 0, 1 or 2, found " << axis;
  return success();
}

LogicalResult ProgramIdOp::verify() { return verifyGridAxis(*this); }
LogicalResult NumProgramsOp::verify() { return verifyGridAxis(*this); }

LogicalResult HintOp::verify() {
  StringRef kind = getKind();
  if (kind != "multiple_of" && kind != "max_contiguous" && kind != "max_constancy")
    return emitOpError() << "c1: unknown kind '" << kind
                         << "', expected multiple_of, max_contiguous or max_constancy";
  size_t expected = std::max<size_t>(1, getShape(getValue().getType()).size());
  if (getValues().size() != expected)
    return emitOpError() << "c2: expected " << expected << " numbers, one a dimension, found "
                         << getValues().size();
  return success();
}

LogicalResult AssertOp::verify() {
  if (getMask() && getMask().getType() != getCondition().getType())
    return emitOpError() << "c1: the mask must be " << getCondition().getType() << ", found "
                         << getMask().getType();
  return success();
}

} // namespace nereid::tile
