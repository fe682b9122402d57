// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loads, stores and atomics through pointers and tiles of pointers.
#include "frontend/triton/TritonLibrary.h"

using namespace llvm;
using namespace mlir;

namespace nereid::triton {

static StringAttr getOption(OpBuilder &builder, StringRef text) {
  return builder.getStringAttr(text);
}

/// A pointer, and beside a lone pointer no tiles.
bool KernelBuilder::checkAccess(TensorValue *pointer, TensorValue *value, StringRef what) {
  if (!pointer->type.isPtr()) {
    fail("expected a pointer, found " + describe(pointer),
         "add the offsets to the pointer argument: x_ptr + offsets");
    return false;
  }
  if (!pointer->isBlock() && value && value->isBlock()) {
    fail(what + " is a tile but the pointer is not: found " + describe(value) + " and " +
             describe(pointer),
         "add a tile of offsets to the pointer: ptr + offsets");
    return false;
  }
  return true;
}

static bool checkMask(KernelBuilder &kernel, TensorValue *mask) {
  if (mask->type.isBool())
    return true;
  kernel.requireTypes({{mask, Scalar::Int1}});
  kernel.fail("a mask must be of bits (tl.int1), found " + kernel.describe(mask),
              "compare: mask != 0");
  return false;
}

TensorValue *KernelBuilder::load(TensorValue *pointer, PyValue mask, PyValue other, StringRef cache,
                                 StringRef eviction, bool isVolatile) {
  if (isNone(mask) && !isNone(other))
    return fail("`other` needs a mask", "write tl.load(ptr, mask=..., other=...)");
  TensorValue *bits = nullptr, *rest = nullptr;
  if (!isNone(mask) && !(bits = toTensor(mask, "the mask")))
    return nullptr;
  if (!isNone(other) && !(rest = toTensor(other, "`other`")))
    return nullptr;
  if (!checkAccess(pointer, bits, "the mask") || !checkAccess(pointer, rest, "`other`") ||
      (bits && !checkMask(*this, bits)))
    return nullptr;
  DType element = pointer->type.pointee();
  if (rest && !(rest = castTo(rest, element)))
    return nullptr;
  SmallVector<TensorValue *> parts{pointer};
  for (TensorValue *part : {bits, rest})
    if (part)
      parts.push_back(part);
  if (!unify(parts))
    return nullptr;
  pointer = parts[0];
  mlir::Value maskValue = bits ? parts[1]->value : mlir::Value();
  mlir::Value otherValue = rest ? parts[2]->value : mlir::Value();
  Type type = tile::withElementType(pointer->value.getType(), element.toMlir(context()));
  auto op = tile::LoadOp::create(builder, location(), type, pointer->value, maskValue, otherValue,
                                 getOption(builder, cache), getOption(builder, eviction),
                                 isVolatile ? builder.getUnitAttr() : UnitAttr());
  return make(op.getResult(), element);
}

bool KernelBuilder::store(TensorValue *pointer, PyValue value, PyValue mask, StringRef cache,
                          StringRef eviction) {
  TensorValue *data = toTensor(value, "the value");
  TensorValue *bits = nullptr;
  if (!data || (!isNone(mask) && !(bits = toTensor(mask, "the mask"))))
    return false;
  if (!checkAccess(pointer, data, "the value") || !checkAccess(pointer, bits, "the mask") ||
      (bits && !checkMask(*this, bits)))
    return false;
  if (pointer->type.isConst) {
    fail("cannot store through a constant pointer");
    return false;
  }
  SmallVector<int64_t> shape(pointer->shape());
  SmallVector<TensorValue *> parts{pointer, data};
  if (bits)
    parts.push_back(bits);
  if (!unify(parts))
    return false;
  if (parts[0]->shape() != ArrayRef(shape)) {
    requireShape(pointer, parts[1]->dims());
    fail("the pointers must have the shape of what is stored: found " + describe(pointer) +
             ", expected " + describe(parts[1]),
         "broadcast the pointers: use offsets of that shape");
    return false;
  }
  data = castTo(parts[1], pointer->type.pointee());
  if (!data)
    return false;
  tile::StoreOp::create(builder, location(), parts[0]->value, data->value,
                        bits ? parts[2]->value : mlir::Value(), getOption(builder, cache),
                        getOption(builder, eviction));
  return true;
}

static std::optional<tile::RmwKind> getKind(StringRef name, DType type) {
  using K = tile::RmwKind;
  bool isFloat = type.isFloat(), isSigned = type.isSigned();
  if (name == "add")
    return isFloat ? K::FAdd : K::Add;
  if (name == "max")
    return isFloat ? K::FMax : isSigned ? K::Max : K::UMax;
  if (name == "min")
    return isFloat ? K::FMin : isSigned ? K::Min : K::UMin;
  if (name == "xchg")
    return K::Xchg;
  if (isFloat)
    return std::nullopt;
  return name == "and" ? K::And : name == "or" ? K::Or : K::Xor;
}

TensorValue *KernelBuilder::atomicRmw(StringRef name, PyValue pointer, PyValue value, PyValue mask,
                                      tile::MemSem sem, tile::MemScope scope) {
  TensorValue *address = toTensor(pointer, "the pointer");
  TensorValue *data = address ? toTensor(value, "the value") : nullptr;
  TensorValue *bits = nullptr;
  if (!data || (!isNone(mask) && !(bits = toTensor(mask, "the mask"))))
    return nullptr;
  if (!checkAccess(address, data, "the value") || !checkAccess(address, bits, "the mask") ||
      (bits && !checkMask(*this, bits)))
    return nullptr;
  DType type = address->type.pointee();
  bool halfAdd = name == "add" && (type.is(Scalar::Fp16) || type.is(Scalar::BF16));
  std::optional<tile::RmwKind> kind = getKind(name, type);
  if (type.isPtr() || !kind || (type.bits() < 32 && !halfAdd))
    return fail("tl.atomic_" + name + " does not support " + type.name(),
                type.isFloat() ? "use a tl.float32 buffer" : "use a tl.int32 buffer");
  SmallVector<int64_t> shape(address->shape());
  SmallVector<TensorValue *> parts{address, data};
  if (bits)
    parts.push_back(bits);
  if (!unify(parts))
    return nullptr;
  if (parts[0]->shape() != ArrayRef(shape))
    return fail("the pointers must have the shape of the value: found " + describe(address) +
                ", expected " + describe(parts[1]));
  data = castTo(parts[1], type);
  if (!data)
    return nullptr;
  auto op =
      tile::AtomicRmwOp::create(builder, location(), data->value.getType(), *kind, parts[0]->value,
                                data->value, bits ? parts[2]->value : mlir::Value(), sem, scope);
  return make(op.getResult(), type);
}

TensorValue *KernelBuilder::atomicCas(PyValue pointer, PyValue expected, PyValue value,
                                      tile::MemSem sem, tile::MemScope scope) {
  TensorValue *parts[] = {toTensor(pointer, "the pointer"), nullptr, nullptr};
  if (!parts[0] || !checkAccess(parts[0], nullptr, ""))
    return nullptr;
  DType type = parts[0]->type.pointee();
  if (type.bits() < 16 || type.isPtr())
    return fail("tl.atomic_cas does not support " + type.name(), "use a tl.int32 buffer");
  PyValue given[] = {expected, value};
  for (int i : {0, 1}) {
    TensorValue *tensor = toTensor(given[i], i ? "the value" : "the expected value");
    if (!tensor)
      return nullptr;
    if (tensor->type.bits() != type.bits() || tensor->type.isFloat() != type.isFloat())
      return fail("tl.atomic_cas compares values of the pointee's type: found " + describe(tensor) +
                      ", expected " + type.name(),
                  "cast it: x.to(...)");
    parts[i + 1] = make(tensor->value, type);
  }
  SmallVector<int64_t> shape(parts[0]->shape());
  if (!unify(parts))
    return nullptr;
  if (parts[0]->shape() != ArrayRef(shape))
    return fail("the pointers of tl.atomic_cas must have the shape of its values");
  auto op =
      tile::AtomicCasOp::create(builder, location(), parts[1]->value.getType(), parts[0]->value,
                                parts[1]->value, parts[2]->value, sem, scope);
  return make(op.getResult(), type);
}

} // namespace nereid::triton
