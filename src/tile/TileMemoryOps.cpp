// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tile/TileOps.h"
#include "tile/TileTypes.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "tile/TileMemoryOps.cpp.inc"

namespace nereid::tile {

static bool isSameShape(Type a, Type b) {
  return isa<RankedTensorType>(a) == isa<RankedTensorType>(b) && getShape(a) == getShape(b);
}

/// Whether `value` is what a load from `pointer` gives.
static bool isLoadedFrom(Type value, Type pointer) {
  return isSameShape(value, pointer) &&
         getElementType(value) == getPointeeValueType(getPtrType(pointer));
}

static LogicalResult verifyValue(Operation *op, StringRef what, Type value, Type pointer) {
  if (isLoadedFrom(value, pointer))
    return success();
  Type expected = withElementType(pointer, getPointeeValueType(getPtrType(pointer)));
  return op->emitOpError() << "c1: " << what << " must be " << expected << ", found " << value;
}

static LogicalResult verifyMask(Operation *op, Value mask, Type pointer) {
  if (!mask || isSameShape(mask.getType(), pointer))
    return success();
  return op->emitOpError() << "c2: mask " << mask.getType() << " must have the shape of "
                           << pointer;
}

LogicalResult AddPtrOp::verify() {
  if (!isSameShape(getPtr().getType(), getOffset().getType()))
    return emitOpError() << "c1: " << getPtr().getType() << " and " << getOffset().getType()
                         << " must have one shape";
  return success();
}

LogicalResult LoadOp::verify() {
  Type pointer = getPtr().getType();
  if (failed(verifyValue(*this, "the result", getResult().getType(), pointer)) ||
      failed(verifyMask(*this, getMask(), pointer)))
    return failure();
  if (!getOther())
    return success();
  if (!getMask())
    return emitOpError() << "c3: 'other' needs a mask";
  if (getOther().getType() != getResult().getType())
    return emitOpError() << "c3: 'other' must be " << getResult().getType() << ", found "
                         << getOther().getType();
  return success();
}

LogicalResult StoreOp::verify() {
  Type pointer = getPtr().getType();
  if (failed(verifyValue(*this, "the value", getValue().getType(), pointer)))
    return failure();
  return verifyMask(*this, getMask(), pointer);
}

static bool fitsElement(RmwKind kind, Type element) {
  switch (kind) {
  case RmwKind::And:
  case RmwKind::Or:
  case RmwKind::Xor:
  case RmwKind::Add:
  case RmwKind::Max:
  case RmwKind::Min:
  case RmwKind::UMax:
  case RmwKind::UMin:
    return isa<IntegerType>(element);
  case RmwKind::FAdd:
  case RmwKind::FMax:
  case RmwKind::FMin:
    return isa<FloatType>(element);
  case RmwKind::Xchg:
    return isa<IntegerType, FloatType>(element);
  }
  llvm_unreachable("all kinds are listed");
}

LogicalResult AtomicRmwOp::verify() {
  Type pointer = getPtr().getType();
  if (failed(verifyValue(*this, "the value", getValue().getType(), pointer)) ||
      failed(verifyValue(*this, "the result", getResult().getType(), pointer)) ||
      failed(verifyMask(*this, getMask(), pointer)))
    return failure();
  Type element = getElementType(getValue().getType());
  if (!fitsElement(getKind(), element))
    return emitOpError() << "c3: '" << stringifyRmwKind(getKind()) << "' does not fit " << element;
  return success();
}

LogicalResult AtomicCasOp::verify() {
  Type pointer = getPtr().getType();
  if (failed(verifyValue(*this, "the expected value", getExpected().getType(), pointer)) ||
      failed(verifyValue(*this, "the value", getValue().getType(), pointer)))
    return failure();
  return verifyValue(*this, "the result", getResult().getType(), pointer);
}

/// Shared by the two conversions between addresses and integers.
static LogicalResult verifyAddress(Operation *op, StringRef what, Type integer, Type pointer) {
  if (getElementType(integer).isInteger(64) && isSameShape(integer, pointer))
    return success();
  return op->emitOpError() << "c1: " << what << " must be i64 in the shape of " << pointer
                           << ", found " << integer;
}

LogicalResult PtrToIntOp::verify() {
  return verifyAddress(*this, "the result", getResult().getType(), getPtr().getType());
}

LogicalResult IntToPtrOp::verify() {
  return verifyAddress(*this, "the value", getValue().getType(), getResult().getType());
}

LogicalResult PtrCastOp::verify() {
  if (!isSameShape(getPtr().getType(), getResult().getType()))
    return emitOpError() << "c1: " << getPtr().getType() << " and " << getResult().getType()
                         << " must have one shape";
  return success();
}

} // namespace nereid::tile
