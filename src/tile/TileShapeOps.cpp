// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tile/TileOps.h"
#include "tile/TileTypes.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "tile/TileShapeOps.cpp.inc"

namespace nereid::tile {

LogicalResult RangeOp::verify() {
  RankedTensorType type = getResult().getType();
  if (type.getRank() != 1 || !type.getElementType().isInteger(32))
    return emitOpError() << "c1: expected a rank-1 tile of i32, found " << type;
  if (!llvm::isPowerOf2_64(type.getDimSize(0)))
    return emitOpError() << "c2: extent must be a power of two, found " << type.getDimSize(0);
  return success();
}

LogicalResult SplatOp::verify() {
  Type element = getResult().getType().getElementType();
  if (element != getValue().getType())
    return emitOpError() << "c1: the element type " << element << " is not the value's type "
                         << getValue().getType();
  return success();
}

LogicalResult BroadcastOp::verify() {
  RankedTensorType from = getValue().getType(), to = getResult().getType();
  if (from.getRank() != to.getRank() || from.getElementType() != to.getElementType())
    return emitOpError() << "c1: ranks and element types of " << from << " and " << to
                         << " must be equal";
  for (auto [axis, extents] : llvm::enumerate(llvm::zip(from.getShape(), to.getShape()))) {
    auto [source, target] = extents;
    if (source != 1 && source != target)
      return emitOpError() << "c2: extent " << source << " of axis " << axis
                           << " cannot be repeated to " << target;
  }
  return success();
}

LogicalResult ExpandDimsOp::verify() {
  RankedTensorType from = getValue().getType(), to = getResult().getType();
  int64_t axis = getAxis();
  if (axis < 0 || axis > from.getRank())
    return emitOpError() << "c1: axis " << axis << " is not within 0 to " << from.getRank();
  SmallVector<int64_t> shape(from.getShape());
  shape.insert(shape.begin() + axis, 1);
  if (to.getShape() != ArrayRef(shape) || to.getElementType() != from.getElementType())
    return emitOpError() << "c2: " << to << " is not " << from << " with an axis of extent 1 at "
                         << axis;
  return success();
}

LogicalResult ReshapeOp::verify() {
  RankedTensorType from = getValue().getType(), to = getResult().getType();
  if (from.getElementType() != to.getElementType())
    return emitOpError() << "c1: element types of " << from << " and " << to << " must be equal";
  if (from.getNumElements() != to.getNumElements())
    return emitOpError() << "c2: " << from.getNumElements() << " elements cannot become "
                         << to.getNumElements();
  return success();
}

LogicalResult RelabelOp::verify() {
  RankedTensorType from = getValue().getType(), to = getResult().getType();
  if (from.getShape() != to.getShape() || from.getElementType() != to.getElementType())
    return emitOpError() << "c1: shapes and element types of " << from << " and " << to
                         << " must be equal";
  return success();
}

LogicalResult TransOp::verify() {
  RankedTensorType from = getValue().getType(), to = getResult().getType();
  ArrayRef<int32_t> order = getOrder();
  SmallVector<bool> seen(from.getRank(), false);
  bool isPermutation = static_cast<int64_t>(order.size()) == from.getRank();
  for (int32_t axis : order) {
    isPermutation = isPermutation && axis >= 0 && axis < from.getRank() && !seen[axis];
    if (isPermutation)
      seen[axis] = true;
  }
  if (!isPermutation)
    return emitOpError() << "c1: order is not a permutation of " << from.getRank() << " axes";
  bool agrees = to.getRank() == from.getRank() && to.getElementType() == from.getElementType();
  for (unsigned axis = 0; agrees && axis < order.size(); ++axis)
    agrees = to.getDimSize(axis) == from.getDimSize(order[axis]);
  if (!agrees)
    return emitOpError() << "c2: " << to << " is not " << from << " with its axes permuted";
  return success();
}

/// Whether `joined` is `part` with a new last axis of extent 2. A scalar part has rank 0.
static bool isJoinOf(Type joined, Type part) {
  SmallVector<int64_t> shape(getShape(part));
  shape.push_back(2);
  return getShape(joined) == ArrayRef(shape) && getElementType(joined) == getElementType(part);
}

LogicalResult JoinOp::verify() {
  if (!isJoinOf(getResult().getType(), getLhs().getType()))
    return emitOpError() << "c1: " << getResult().getType() << " is not " << getLhs().getType()
                         << " with a last axis of extent 2";
  return success();
}

LogicalResult SplitOp::verify() {
  if (!isJoinOf(getValue().getType(), getLhs().getType()))
    return emitOpError() << "c1: " << getLhs().getType() << " is not half of "
                         << getValue().getType();
  return success();
}

LogicalResult CatOp::verify() {
  RankedTensorType lhs = getLhs().getType(), rhs = getRhs().getType(), to = getResult().getType();
  bool agrees = lhs.getElementType() == rhs.getElementType() &&
                lhs.getElementType() == to.getElementType() && lhs.getRank() == rhs.getRank() &&
                lhs.getRank() == to.getRank() && lhs.getRank() > 0 &&
                lhs.getShape().drop_front() == rhs.getShape().drop_front() &&
                lhs.getShape().drop_front() == to.getShape().drop_front() &&
                lhs.getDimSize(0) + rhs.getDimSize(0) == to.getDimSize(0);
  if (!agrees)
    return emitOpError() << "c1: " << to << " is not " << lhs << " followed by " << rhs;
  return success();
}

LogicalResult GatherOp::verify() {
  RankedTensorType value = getValue().getType(), indices = getIndices().getType();
  RankedTensorType to = getResult().getType();
  if (indices.getShape() != to.getShape() || value.getElementType() != to.getElementType())
    return emitOpError() << "c1: indices " << indices << " must have the shape of " << to;
  int64_t axis = getAxis();
  bool agrees = value.getRank() == to.getRank() && axis >= 0 && axis < value.getRank();
  for (int64_t dim = 0; agrees && dim < value.getRank(); ++dim)
    agrees = dim == axis || value.getDimSize(dim) == to.getDimSize(dim);
  if (!agrees)
    return emitOpError() << "c2: " << value << " and " << to << " must agree but for axis " << axis;
  return success();
}

} // namespace nereid::tile
