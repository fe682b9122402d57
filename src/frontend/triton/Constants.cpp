// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From Python's values to values of the kernel: numbers become constants, named ones `tile.meta`.
#include "frontend/triton/TritonLibrary.h"

using namespace llvm;
using namespace mlir;

namespace nereid::triton {

Dims TensorValue::dims() const {
  Dims result;
  for (auto [axis, size] : enumerate(shape()))
    result.push_back({size, tile::getDimName(value.getType(), axis).str()});
  return result;
}

TensorValue *KernelBuilder::make(mlir::Value value, DType type) {
  return machine.make<TensorValue>(library, library.tensorClass(), value, type);
}

Location KernelBuilder::location() {
  SourceLocation place = machine.location();
  if (library.isPrelude(place.file))
    for (SourceLocation outer : machine.callStack())
      if (!library.isPrelude(outer.file)) {
        place = outer;
        break;
      }
  if (!place.file)
    return UnknownLoc::get(context());
  LineColumn at = place.file->getLineColumn(place.range.begin);
  return FileLineColLoc::get(context(), place.file->getName(), at.line, at.column + 1);
}

machine::Failure KernelBuilder::fail(const Twine &message, const Twine &help) {
  if (!machine.pending())
    machine.refuse(message, help);
  return {};
}

Type KernelBuilder::tileType(DType element, ArrayRef<Dim> dims) {
  SmallVector<int64_t> shape;
  SmallVector<StringRef> names;
  for (const Dim &dim : dims) {
    shape.push_back(dim.size);
    names.push_back(dim.name);
  }
  return tile::getTileType(element.toMlir(context()), shape, names);
}

std::string KernelBuilder::describe(PyValue value) {
  if (auto *tensor = dyn_cast<TensorValue>(value)) {
    if (!tensor->isBlock())
      return tensor->type.name();
    std::string text = "tensor<";
    for (int64_t size : tensor->shape())
      text += std::to_string(size) + "x";
    return text + tensor->type.name() + ">";
  }
  if (auto *type = dyn_cast<DTypeValue>(value))
    return "the type " + type->type.name();
  if (isKnownNumber(value) || isa<machine::StrObject>(plain(value)))
    if (auto text = machine.repr(plain(value)))
      return "constexpr " + *text;
  if (isNone(value))
    return "None";
  return machine.typeName(plain(value)).str();
}

std::optional<DType> KernelBuilder::literalType(PyValue number) {
  number = plain(number);
  if (isa<machine::BoolObject>(number))
    return DType(Scalar::Int1);
  if (auto *floating = dyn_cast<machine::FloatObject>(number)) {
    double size = std::fabs(floating->value);
    bool fits = !(size < 0x1p-126 || size > 0x1.fffffep127) || size == 0.0 || std::isinf(size);
    return DType(fits ? Scalar::Fp32 : Scalar::Fp64);
  }
  APInt wide = cast<machine::IntObject>(number)->wide();
  if (wide.isSignedIntN(32))
    return DType(Scalar::Int32);
  if (wide.isNonNegative() && wide.isIntN(32))
    return DType(Scalar::UInt32);
  if (wide.isSignedIntN(64))
    return DType(Scalar::Int64);
  if (wide.isNonNegative() && wide.isIntN(64))
    return DType(Scalar::UInt64);
  fail("the integer does not fit in 64 bits");
  return std::nullopt;
}

/// The number as an attribute of this type.
static TypedAttr getNumberAttr(PyValue number, DType type, MLIRContext *context) {
  Type mlirType = type.toMlir(context);
  auto *floating = dyn_cast<machine::FloatObject>(number);
  if (auto floatType = dyn_cast<FloatType>(mlirType)) {
    APFloat value(floating ? floating->value : 0.0);
    if (!floating)
      value.convertFromAPInt(cast<machine::IntObject>(number)->wide(), true,
                             APFloat::rmNearestTiesToEven);
    bool lossy;
    value.convert(floatType.getFloatSemantics(), APFloat::rmNearestTiesToEven, &lossy);
    return FloatAttr::get(floatType, value);
  }
  if (floating)
    return floating->value == 0.0 ? IntegerAttr::get(mlirType, 0) : TypedAttr();
  APInt value = cast<machine::IntObject>(number)->wide();
  if (type.isBool())
    value = APInt(1, !value.isZero());
  return IntegerAttr::get(mlirType, value.sextOrTrunc(type.bits()));
}

TensorValue *KernelBuilder::constant(PyValue number, DType type) {
  auto *named = dyn_cast<ConstValue>(number);
  PyValue value = plain(number);
  if (!isKnownNumber(value))
    return fail("expected a number, found " + describe(value));
  if (type.isPtr() || type.isVoid())
    return fail("a number cannot become " + type.name());
  TypedAttr attribute = getNumberAttr(value, type, context());
  if (!attribute)
    return fail("the number " + *machine.repr(value) + " is no " + type.name(),
                "write an integer, or another dtype");
  if (named && !named->text.empty())
    return make(tile::MetaOp::create(builder, location(), attribute.getType(),
                                     builder.getStringAttr(named->text), attribute),
                type);
  return make(arith::ConstantOp::create(builder, location(), attribute), type);
}

bool KernelBuilder::fits(PyValue number, DType type) {
  auto *integer = dyn_cast<machine::IntObject>(plain(number));
  if (!integer || type.isBool())
    return true;
  APInt wide = integer->wide();
  return type.isSigned() ? wide.isSignedIntN(type.bits()) : wide.isIntN(type.bits());
}

TensorValue *KernelBuilder::castLiteral(PyValue number, DType type) {
  PyValue value = plain(number);
  auto *integer = dyn_cast<machine::IntObject>(value);
  auto *floating = dyn_cast<machine::FloatObject>(value);
  bool negative = integer ? integer->wide().isNegative() : floating && floating->value < 0;
  if (negative && type.isUnsigned())
    return fail("a negative number cannot meet a tensor of " + type.name(),
                "cast the tensor to a signed type first: x.to(tl.int32)");
  if (type.isInt() && integer && !type.isBool()) {
    if (!fits(number, type))
      return fail("the number " + *machine.repr(value) + " is out of the range of " + type.name(),
                  "cast the tensor to a wider type first: x.to(tl.int32)");
  }
  return constant(number, type);
}

TensorValue *KernelBuilder::tryTensor(PyValue value) {
  if (auto *tensor = dyn_cast<TensorValue>(value))
    return tensor;
  if (!isKnownNumber(value))
    return nullptr;
  std::optional<DType> type = literalType(value);
  return type ? constant(value, *type) : nullptr;
}

TensorValue *KernelBuilder::toTensor(PyValue value, StringRef what) {
  TensorValue *tensor = tryTensor(value);
  if (tensor || machine.pending())
    return tensor;
  if (isa<BlockPointerValue>(value))
    return fail("expected a tensor as " + what + ", found a block pointer",
                "pass it to tl.load, tl.store or tl.advance only");
  return fail("expected a tensor or a number as " + what + ", found " + describe(value));
}

PyValue KernelBuilder::decay(PyValue value) {
  PyValue known = plain(value);
  if (isa<machine::NoneObject, DTypeValue, TensorValue, BlockPointerValue>(known))
    return known;
  if (isKnownNumber(known))
    return toTensor(value);
  if (library.isAggregate(known))
    return known;
  if (auto items = sequence(known)) {
    SmallVector<PyValue> decayed;
    for (PyValue item : *items) {
      PyValue result = decay(item);
      if (!result)
        return nullptr;
      decayed.push_back(result);
    }
    return makeLike(machine, known, decayed);
  }
  std::string what = isa<machine::StrObject>(known) ? "a string" : describe(known);
  return fail("a kernel cannot assign " + what + " to a name",
              "annotate the name: NAME: tl.constexpr = ...");
}

void KernelBuilder::nameValue(PyValue value, StringRef name) {
  auto *tensor = dyn_cast<TensorValue>(value);
  if (!tensor)
    return;
  Operation *op = tensor->value.getDefiningOp();
  Location old = op ? op->getLoc() : tensor->value.getLoc();
  if (isa<NameLoc>(old) || (op && op->getNumResults() != 1))
    return;
  Location named = NameLoc::get(builder.getStringAttr(name), old);
  if (op)
    op->setLoc(named);
  else
    cast<BlockArgument>(tensor->value).setLoc(named);
}

} // namespace nereid::triton
