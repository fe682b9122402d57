// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How operands are brought into the shape, type and sign that their user needs.
#include "emit/Spelling.h"
#include "emit/TilePrinter.h"
#include "tile/TileTypes.h"

#include <limits>

using namespace mlir;

namespace nereid::emit {

Shape getExtents(Type type) {
  Shape extents(tile::getShape(type));
  for (auto [axis, extent] : llvm::enumerate(extents))
    if (extent == 1 && !tile::getDimName(type, axis).empty())
      extent = std::numeric_limits<int64_t>::max();
  return extents;
}

/// What Triton's broadcasting makes of two shapes.
static Shape broadcast(llvm::ArrayRef<int64_t> a, llvm::ArrayRef<int64_t> b) {
  if (a.empty() || b.empty())
    return Shape(a.empty() ? b : a);
  Shape result(a);
  for (auto [extent, other] : llvm::zip_equal(result, b))
    extent = std::max(extent, other);
  return result;
}

Operand TilePrinter::refuse(Operation *op, const llvm::Twine &message) {
  op->emitOpError() << message.str();
  failed = true;
  return {Code::text("None"), {}, {}, false, false};
}

bool TilePrinter::isHalf(Type type) {
  Type element = tile::getElementType(type);
  return element.isF16() || element.isBF16();
}

Operand TilePrinter::get(Value value) {
  if (auto found = named.find(value); found != named.end())
    return found->second;
  Operation *op = value.getDefiningOp();
  assert(op && "an argument without a name");
  if (folding.isTransparent(op))
    return renderTransparent(op);
  Operand operand = render(op);
  operand.code = operand.code.withOrigin(value.getAsOpaquePointer());
  return operand;
}

static Code getAxis(Type type, unsigned axis) {
  llvm::StringRef name = tile::getDimName(type, axis);
  if (name.empty())
    return Code::text(std::to_string(tile::getShape(type)[axis]));
  return Code::text(name.str());
}

Code TilePrinter::getShape(Type type) {
  llvm::SmallVector<Code> axes;
  for (unsigned axis = 0; axis < tile::getShape(type).size(); ++axis)
    axes.push_back(getAxis(type, axis));
  return Code::tuple(axes);
}

Operand TilePrinter::toFull(Operand operand, Type type, bool wholeShape) {
  Shape shape = getExtents(type);
  std::string dtype = getTritonDtype(tile::getElementType(type));
  if (operand.literal) {
    Code sizes = wholeShape ? getShape(type) : Code::tuple({});
    bool isZeros = wholeShape && !shape.empty() && isPositiveZero(operand.literal);
    operand.code = isZeros ? Code::call("tl.zeros", {sizes, Code::text(dtype)})
                           : Code::call("tl.full", {sizes, operand.code, Code::text(dtype)});
    operand.literal = {};
    operand.mayBeKnown = false;
    operand.shape = wholeShape ? shape : Shape();
    return operand;
  }
  if (!wholeShape || operand.shape == shape)
    return operand;
  operand.code = Code::call("tl.broadcast_to", {operand.code, getShape(type)});
  operand.shape = shape;
  operand.mayBeKnown = false;
  return operand;
}

Operand TilePrinter::cast(Operand operand, Type type, bool isUnsigned) {
  Type element = tile::getElementType(type);
  Code dtype = Code::text(getTritonDtype(element, isUnsigned));
  bool hasMethods = !operand.mayBeKnown && !operand.literal;
  operand.code = hasMethods ? Code::method(operand.code, "to", {dtype})
                            : Code::call("tl.cast", {operand.code, dtype});
  operand.literal = {};
  operand.mayBeKnown = false;
  operand.isUnsigned = isUnsigned;
  return operand;
}

Operand TilePrinter::toSigned(Operand operand, Type type) {
  return operand.isUnsigned ? cast(std::move(operand), type) : operand;
}

Operand TilePrinter::getSigned(Value value) { return toSigned(get(value), value.getType()); }

Operand TilePrinter::getUnsigned(Value value) {
  Operand operand = get(value);
  if (operand.isUnsigned || tile::getElementType(value.getType()).isInteger(1))
    return operand;
  auto literal = dyn_cast_if_present<IntegerAttr>(operand.literal);
  if (literal && !literal.getValue().isNegative())
    return operand;
  if (operand.literal)
    operand = toFull(std::move(operand), value.getType(), false);
  return cast(std::move(operand), value.getType(), true);
}

/// Whether assigning a Python number gives a tensor of this type.
static bool isDefaultType(Type type) {
  return type.isInteger(32) || type.isF32() || type.isInteger(1);
}

Operand TilePrinter::getExact(Value value) {
  Operand operand = getSigned(value);
  if (operand.literal && isDefaultType(value.getType()))
    return operand;
  return toFull(std::move(operand), value.getType(), true);
}

bool TilePrinter::losesBits(const Operand &operand, Type type) {
  auto real = dyn_cast_if_present<FloatAttr>(operand.literal);
  return real && tile::getElementType(type).isF64() && !isExactInFloat32(real.getValue());
}

Operand TilePrinter::getStored(Value value) {
  Operand operand = getSigned(value);
  return losesBits(operand, value.getType()) ? toFull(std::move(operand), value.getType(), false)
                                             : operand;
}

llvm::SmallVector<Operand> TilePrinter::getElementwise(ValueRange values, bool wantsUnsigned) {
  llvm::SmallVector<Operand> operands;
  for (Value value : values)
    operands.push_back(wantsUnsigned ? getUnsigned(value) : get(value));
  if (llvm::all_of(operands, [](const Operand &operand) { return operand.literal != nullptr; }))
    operands[0] = toFull(operands[0], values[0].getType(), true);
  return operands;
}

void TilePrinter::matchLiterals(llvm::MutableArrayRef<Operand> operands) {
  if (llvm::none_of(operands, [](const Operand &each) { return each.isUnsigned && !each.literal; }))
    return;
  for (Operand &operand : operands) {
    auto literal = dyn_cast_if_present<IntegerAttr>(operand.literal);
    if (literal && literal.getValue().isNegative() && !literal.getType().isInteger(1))
      operand.code = Code::text(llvm::toString(literal.getValue(), 10, /*Signed=*/false));
  }
}

Operand TilePrinter::combine(Code code, llvm::ArrayRef<Operand> operands) {
  Operand result;
  result.code = std::move(code);
  result.mayBeKnown = true;
  for (const Operand &operand : operands) {
    result.shape = broadcast(result.shape, operand.shape);
    result.isUnsigned |= operand.isUnsigned;
    result.mayBeKnown &= operand.mayBeKnown || operand.literal != nullptr;
  }
  return result;
}

/// The splat number of a constant; null for a dense one.
static Attribute getNumber(arith::ConstantOp op) {
  auto dense = dyn_cast<DenseElementsAttr>(op.getValue());
  if (!dense)
    return op.getValue();
  return dense.isSplat() ? dense.getSplatValue<Attribute>() : Attribute();
}

static bool isIdentifier(llvm::StringRef text) {
  return llvm::all_of(text, [](char c) { return llvm::isAlnum(c) || c == '_'; });
}

Operand TilePrinter::renderTransparent(Operation *op) {
  Operand operand;
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    Attribute number = getNumber(constant);
    if (!isa_and_present<IntegerAttr, FloatAttr>(number))
      return refuse(op, "is no single number; Triton has no other constants");
    std::string text = spellNumber(number);
    operand.code = Code::text(text, text[0] == '-' ? Binding::Unary : Binding::Atom);
    operand.literal = number;
    return operand;
  }
  if (auto meta = dyn_cast<tile::MetaOp>(op)) {
    operand.code = Code::text(meta.getName().str(),
                              isIdentifier(meta.getName()) ? Binding::Atom : Binding::Or);
    operand.mayBeKnown = true;
    return operand;
  }
  operand = get(op->getOperand(0));
  if (folding.isImplied(op))
    return toSigned(std::move(operand), op->getOperand(0).getType());
  if (isa<arith::ExtSIOp>(op))
    return cast(toSigned(std::move(operand), op->getOperand(0).getType()),
                op->getResult(0).getType());
  if (auto expand = dyn_cast<tile::ExpandDimsOp>(op))
    return renderExpandDims(std::move(operand), expand.getAxis());
  return operand;
}

} // namespace nereid::emit
