// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/triton/Types.h"
#include "tile/TileDialect.h"

using namespace llvm;

namespace nereid::triton {

namespace {
struct ScalarInfo {
  StringLiteral name;      // upstream's own
  StringLiteral signature; // in signatures
  unsigned bits;
};
} // namespace

static const ScalarInfo &getInfo(Scalar scalar) {
  static constexpr ScalarInfo infos[] = {
      {"void", "void", 0},         {"int1", "i1", 1},           {"int8", "i8", 8},
      {"int16", "i16", 16},        {"int32", "i32", 32},        {"int64", "i64", 64},
      {"uint8", "u8", 8},          {"uint16", "u16", 16},       {"uint32", "u32", 32},
      {"uint64", "u64", 64},       {"fp8e5", "fp8e5", 8},       {"fp8e4nv", "fp8e4nv", 8},
      {"fp16", "fp16", 16},        {"bf16", "bf16", 16},        {"fp32", "fp32", 32},
      {"fp64", "fp64", 64},        {"fp8e4b15", "fp8e4b15", 8}, {"fp8e4b8", "fp8e4b8", 8},
      {"fp8e5b16", "fp8e5b16", 8},
  };
  return infos[unsigned(scalar)];
}

unsigned DType::bits() const { return isPtr() ? 64 : getInfo(scalar).bits; }

std::string DType::name() const {
  if (!isPtr())
    return getInfo(scalar).name.str();
  return (isConst ? "const_pointer<" : "pointer<") + pointee().name() + ">";
}

std::string DType::signature() const {
  if (!isPtr())
    return getInfo(scalar).signature.str();
  return (isConst ? "*k" : "*") + pointee().signature();
}

std::string DType::spelling() const {
  if (isPtr())
    return "tl.pointer_type(" + pointee().spelling() + ")";
  for (const NamedDType &entry : getNamedDTypes())
    if (entry.scalar == scalar)
      return ("tl." + entry.name).str();
  return "tl." + name();
}

mlir::Type DType::toPointee(mlir::MLIRContext *context) const {
  if (isUnsigned() && !isBool())
    return mlir::IntegerType::get(context, bits(), mlir::IntegerType::Unsigned);
  return toMlir(context);
}

mlir::Type DType::toMlir(mlir::MLIRContext *context) const {
  if (isPtr())
    return tile::PtrType::get(context, pointee().toPointee(context));
  switch (scalar) {
  case Scalar::Void:
    return mlir::NoneType::get(context);
  case Scalar::Fp8E5:
    return mlir::Float8E5M2Type::get(context);
  case Scalar::Fp8E4NV:
    return mlir::Float8E4M3FNType::get(context);
  case Scalar::Fp16:
    return mlir::Float16Type::get(context);
  case Scalar::BF16:
    return mlir::BFloat16Type::get(context);
  case Scalar::Fp32:
    return mlir::Float32Type::get(context);
  case Scalar::Fp64:
    return mlir::Float64Type::get(context);
  default:
    return mlir::IntegerType::get(context, bits());
  }
}

std::optional<DType> parseSignatureType(StringRef text) {
  text = text.trim();
  if (text.consume_front("*")) {
    bool isConst = text.consume_front("k");
    std::optional<DType> pointee = parseSignatureType(text);
    if (!pointee || pointee->isVoid())
      return std::nullopt;
    return pointee->pointer(isConst);
  }
  if (text == "u1" || text == "bool")
    return DType(Scalar::Int1);
  for (unsigned i = unsigned(Scalar::Int1); i <= unsigned(Scalar::Fp64); ++i) {
    StringRef name = getInfo(Scalar(i)).signature;
    if (text == name || (name.starts_with("fp") && text == name.drop_front(2).str().insert(0, "f")))
      return DType(Scalar(i));
  }
  return std::nullopt;
}

SmallVector<StringRef> splitSignature(StringRef text) {
  SmallVector<StringRef> types;
  unsigned depth = 0;
  size_t start = 0;
  for (auto [place, letter] : enumerate(text)) {
    depth += StringRef("<([").contains(letter);
    depth -= StringRef(">)]").contains(letter) && depth > 0;
    if (letter != ',' || depth > 0)
      continue;
    types.push_back(text.slice(start, place));
    start = place + 1;
  }
  types.push_back(text.drop_front(start));
  erase_if(types, [](StringRef type) { return type.trim().empty(); });
  return types;
}

ArrayRef<NamedDType> getNamedDTypes() {
  static constexpr NamedDType names[] = {
      {"void", Scalar::Void},
      {"int1", Scalar::Int1},
      {"int8", Scalar::Int8},
      {"int16", Scalar::Int16},
      {"int32", Scalar::Int32},
      {"int64", Scalar::Int64},
      {"uint8", Scalar::UInt8},
      {"uint16", Scalar::UInt16},
      {"uint32", Scalar::UInt32},
      {"uint64", Scalar::UInt64},
      {"float8e5", Scalar::Fp8E5},
      {"float8e4nv", Scalar::Fp8E4NV},
      {"float16", Scalar::Fp16},
      {"bfloat16", Scalar::BF16},
      {"float32", Scalar::Fp32},
      {"float64", Scalar::Fp64},
      {"float8e4b15", Scalar::Fp8E4B15},
      {"float8e4b8", Scalar::Fp8E4B8},
      {"float8e5b16", Scalar::Fp8E5B16},
  };
  return names;
}

std::optional<DType> findDType(StringRef name) {
  for (const NamedDType &entry : getNamedDTypes())
    if (entry.name == name)
      return DType(entry.scalar);
  return std::nullopt;
}

DType getIntType(unsigned bits, bool isSigned) {
  switch (bits) {
  case 1:
    return Scalar::Int1;
  case 8:
    return isSigned ? Scalar::Int8 : Scalar::UInt8;
  case 16:
    return isSigned ? Scalar::Int16 : Scalar::UInt16;
  case 32:
    return isSigned ? Scalar::Int32 : Scalar::UInt32;
  default:
    return isSigned ? Scalar::Int64 : Scalar::UInt64;
  }
}

DType promoteIntegers(DType a, DType b) {
  if (a.isSigned() == b.isSigned())
    return a.bits() > b.bits() ? a : b;
  if (a.isUnsigned())
    return a.bits() >= b.bits() ? a : b;
  return b.bits() >= a.bits() ? b : a;
}

std::optional<DType> promote(DType a, bool aLiteral, DType b, bool bLiteral, bool divides,
                             std::string &reason) {
  if (aLiteral != bLiteral) {
    DType literal = aLiteral ? a : b, tensor = aLiteral ? b : a;
    if (literal.kind() <= tensor.kind())
      a = b = tensor;
  }
  auto either = [&](Scalar scalar) { return a.is(scalar) || b.is(scalar); };
  if (either(Scalar::Fp64))
    return DType(Scalar::Fp64);
  if (divides && (a.isFloat() || b.isFloat()))
    return DType(Scalar::Fp32);
  if (either(Scalar::Fp32))
    return DType(Scalar::Fp32);
  if (either(Scalar::Fp16))
    return DType(Scalar::Fp16);
  if (either(Scalar::BF16))
    return a == b ? a : DType(Scalar::Fp32);
  if (a.isFp8() && b.isFp8())
    return a == b ? a : DType(Scalar::Fp16);
  if (!a.isInt() || !b.isInt()) {
    reason = "cannot combine " + a.name() + " with " + b.name();
    return std::nullopt;
  }
  if (divides && a.isSigned() != b.isSigned()) {
    reason = "cannot divide " + a.name() + " by " + b.name() + ": their signedness differs";
    return std::nullopt;
  }
  return promoteIntegers(a, b);
}

} // namespace nereid::triton
