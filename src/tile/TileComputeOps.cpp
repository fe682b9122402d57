// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tile/Libdevice.h"
#include "tile/TileOps.h"
#include "tile/TileTypes.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "tile/TileComputeOps.cpp.inc"

namespace nereid::tile {

static bool isFloat8(Type type) {
  auto number = dyn_cast<FloatType>(type);
  return number && number.getWidth() == 8;
}

static bool fitsAccumulator(Type operand, Type acc) {
  if (operand.isInteger(8))
    return acc.isInteger(32);
  if (operand.isF64())
    return acc.isF64();
  if (operand.isF16())
    return acc.isF32() || acc.isF16();
  return isa<FloatType>(operand) && acc.isF32();
}

LogicalResult DotOp::verify() {
  RankedTensorType lhs = getLhs().getType(), rhs = getRhs().getType(), acc = getAcc().getType();
  int64_t rank = acc.getRank();
  if ((rank != 2 && rank != 3) || lhs.getRank() != rank || rhs.getRank() != rank)
    return emitOpError() << "c1: all ranks must be 2, or all 3, found " << lhs.getRank() << ", "
                         << rhs.getRank() << " and " << rank;
  ArrayRef<int64_t> a = lhs.getShape().take_back(2), b = rhs.getShape().take_back(2);
  ArrayRef<int64_t> c = acc.getShape().take_back(2);
  bool batchAgrees = rank == 2 || (lhs.getDimSize(0) == acc.getDimSize(0) &&
                                   rhs.getDimSize(0) == acc.getDimSize(0));
  if (!batchAgrees || a[0] != c[0] || a[1] != b[0] || b[1] != c[1])
    return emitOpError() << "c2: extents of " << lhs << ", " << rhs << " and " << acc
                         << " do not agree";
  Type left = lhs.getElementType(), right = rhs.getElementType();
  if (left != right && !(isFloat8(left) && isFloat8(right)))
    return emitOpError() << "c3: operands must have one element type, found " << left << " and "
                         << right;
  if (!fitsAccumulator(left, acc.getElementType()))
    return emitOpError() << "c4: an accumulator of " << acc.getElementType()
                         << " does not fit operands of " << left;
  return success();
}

/// c1, c2 and c4 of folds and scans, whose region combines n scalars with n others.
static LogicalResult verifyFold(Operation *op, OperandRange values, int64_t axis, Region &combine) {
  if (values.empty())
    return op->emitOpError() << "c2: expected at least one value";
  auto first = cast<RankedTensorType>(values.front().getType());
  if (axis < 0 || axis >= first.getRank())
    return op->emitOpError() << "c1: axis " << axis << " is not within rank " << first.getRank();
  for (Value value : values)
    if (getShape(value.getType()) != first.getShape())
      return op->emitOpError() << "c2: all values must have one shape, found " << value.getType()
                               << " beside " << first;
  SmallVector<Type> elements;
  for (Value value : values)
    elements.push_back(getElementType(value.getType()));
  SmallVector<Type> arguments(elements);
  arguments.append(elements);
  Block &block = combine.front();
  if (!llvm::equal(block.getArgumentTypes(), arguments))
    return op->emitOpError() << "c4: the region must take " << arguments.size()
                             << " scalars of the values' element types";
  if (!llvm::equal(block.getTerminator()->getOperandTypes(), elements))
    return op->emitOpError() << "c4: the region must yield " << elements.size()
                             << " scalars of the values' element types";
  return success();
}

LogicalResult ReduceOp::verify() {
  if (failed(verifyFold(*this, getValues(), getAxis(), getCombine())))
    return failure();
  if (getNumResults() != getValues().size())
    return emitOpError() << "c3: expected " << getValues().size() << " results, found "
                         << getNumResults();
  for (auto [value, result] : llvm::zip(getValues(), getResults())) {
    SmallVector<int64_t> shape(getShape(value.getType()));
    shape.erase(shape.begin() + getAxis());
    Type type = result.getType();
    if (isa<RankedTensorType>(type) != !shape.empty() || getShape(type) != ArrayRef(shape) ||
        getElementType(type) != getElementType(value.getType()))
      return emitOpError() << "c3: " << type << " is not " << value.getType() << " without axis "
                           << getAxis();
  }
  return success();
}

LogicalResult ScanOp::verify() {
  if (failed(verifyFold(*this, getValues(), getAxis(), getCombine())))
    return failure();
  if (!llvm::equal(getValues().getTypes(), getResultTypes()))
    return emitOpError() << "c3: results must have the types of the values";
  return success();
}

/// Constraint c1 of what products of TF32 are made of.
static LogicalResult checkIsF32(Operation *op) {
  Type element = getElementType(op->getOperand(0).getType());
  if (!element.isF32())
    return op->emitOpError() << "c1: the elements are f32, found " << element;
  return success();
}

LogicalResult Tf32Op::verify() { return checkIsF32(*this); }

LogicalResult HalfScaleOp::verify() { return checkIsF32(*this); }

LogicalResult SortOp::verify() {
  Type element = getElementType(getValue().getType());
  if (!element.isInteger(32) && !element.isInteger(64))
    return emitOpError() << "c1: the elements are i32 or i64, found " << element;
  int64_t length = getShape(getValue().getType()).back();
  if (getMerges() && !llvm::isPowerOf2_64(length))
    return emitOpError() << "c2: with merges lines have a power of two of elements, found "
                         << length;
  return success();
}

/// Whether `type` is of this kind; `number` and `integer` hold the types that the first operands of
/// the kinds Float and AnyInt had.
static bool fitsLibdeviceType(LibdeviceType kind, Type type, Type &number, Type &integer) {
  switch (kind) {
  case LibdeviceType::Int32:
    return type.isInteger(32);
  case LibdeviceType::Int64:
    return type.isInteger(64);
  case LibdeviceType::Float:
    if (!type.isF32() && !type.isF64())
      return false;
    if (!number)
      number = type;
    return number == type;
  case LibdeviceType::AnyInt:
    if (!type.isInteger(32) && !type.isInteger(64))
      return false;
    if (!integer)
      integer = type;
    return integer == type;
  }
  llvm_unreachable("all kinds are listed");
}

LogicalResult LibdeviceOp::verify() {
  const LibdeviceFunction *function = findLibdeviceFunction(getName());
  if (!function)
    return emitOpError() << "c1: unknown function '" << getName() << "'";
  if (getOperands().size() != function->arity)
    return emitOpError() << "c2: '" << getName() << "' takes " << function->arity
                         << " operands, found " << getOperands().size();
  Type result = getResult().getType(), number, integer;
  bool fits = true;
  for (auto [operand, kind] : llvm::zip(getOperands(), function->operands)) {
    Type type = operand.getType();
    fits = fits && isa<RankedTensorType>(type) == isa<RankedTensorType>(result) &&
           getShape(type) == getShape(result) &&
           fitsLibdeviceType(kind, getElementType(type), number, integer);
  }
  if (!fits || !fitsLibdeviceType(function->result, getElementType(result), number, integer))
    return emitOpError() << "c3: types do not fit '" << getName()
                         << "': expected one shape, and floats of 32 or 64 bits or the integers "
                            "that it takes";
  return success();
}

LogicalResult InlineAsmOp::verify() {
  if (getNumResults() == 0)
    return emitOpError() << "c3: expected a result";
  if (getPack() < 1)
    return emitOpError() << "c2: expected pack to be at least 1, found " << getPack();
  auto shape = getShape(getResultTypes().front());
  for (Type type :
       llvm::concat<Type>(llvm::to_vector(getOperandTypes()), llvm::to_vector(getResultTypes())))
    if (getShape(type) != shape)
      return emitOpError() << "c1: " << type << " has not the shape of "
                           << getResultTypes().front();
  return success();
}

void InlineAsmOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  if (getPure())
    return;
  effects.emplace_back(MemoryEffects::Read::get());
  effects.emplace_back(MemoryEffects::Write::get());
}

LogicalResult RandomOp::verify() {
  Type offset = getOffset().getType(), result = getResult().getType();
  Type element = getElementType(offset);
  if (!element.isInteger(32) && !element.isInteger(64))
    return emitOpError() << "c1: offsets are i32 or i64, found " << element;
  bool isBits = getKind() == RandomKind::Bits || getKind() == RandomKind::SharedBits;
  bool fits = isBits ? getElementType(result).isInteger(32) : getElementType(result).isF32();
  if (!fits || isa<RankedTensorType>(result) != isa<RankedTensorType>(offset) ||
      getShape(result) != getShape(offset))
    return emitOpError() << "c2: expected " << (isBits ? "i32" : "f32") << " of the shape of "
                         << offset << ", found " << result;
  return success();
}

} // namespace nereid::tile
