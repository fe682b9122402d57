// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conversions between types, value by value and bit by bit.
#include "frontend/triton/KernelBuilder.h"

using namespace llvm;
using namespace mlir;

namespace nereid::triton {

/// Both are IEEE or brain floats: the conversions of `arith` apply between any two of these.
static bool isWider(DType a, DType b) { return a.bits() > b.bits(); }

TensorValue *KernelBuilder::toBool(TensorValue *value) {
  if (value->type.isBool())
    return value;
  if (value->type.isPtr())
    value = castTo(value, Scalar::Int64);
  Type type = value->value.getType();
  TypedAttr zero = builder.getZeroAttr(type);
  mlir::Value zeros =
      isa<RankedTensorType>(type)
          ? tile::SplatOp::create(
                builder, location(), type,
                arith::ConstantOp::create(builder, location(),
                                          builder.getZeroAttr(tile::getElementType(type))))
                .getResult()
          : arith::ConstantOp::create(builder, location(), zero).getResult();
  if (value->type.isFloat())
    return make(
        arith::CmpFOp::create(builder, location(), arith::CmpFPredicate::UNE, value->value, zeros),
        Scalar::Int1);
  return make(
      arith::CmpIOp::create(builder, location(), arith::CmpIPredicate::ne, value->value, zeros),
      Scalar::Int1);
}

TensorValue *KernelBuilder::castFloatToInt(TensorValue *value, DType type, Type to) {
  if (type.isSigned())
    return emit<arith::FPToSIOp>(type, to, value->value);
  return emit<arith::FPToUIOp>(type, to, value->value);
}

TensorValue *KernelBuilder::castTo(TensorValue *value, DType type) {
  DType from = value->type;
  if (from == type)
    return value;
  if (type.isVoid())
    return fail("a value cannot become void");
  Type to = tile::withElementType(value->value.getType(), type.toMlir(context()));
  if (from.isPtr() && type.isPtr()) {
    if (to == value->value.getType())
      return make(value->value, type);
    return emit<tile::PtrCastOp>(type, to, value->value);
  }
  if (from.isPtr()) {
    if (type.isBool())
      return toBool(value);
    if (!type.isInt() || type.bits() != 64) {
      requireTypes({{value, type}});
      return fail("a pointer cannot become " + type.name(), "cast it to tl.int64 first");
    }
    return emit<tile::PtrToIntOp>(type, to, value->value);
  }
  if (type.isPtr()) {
    if (!from.isInt() || from.bits() != 64) {
      requireTypes({{value, Scalar::Int64}});
      return fail(from.name() + " cannot become a pointer", "cast it to tl.int64 first");
    }
    return emit<tile::IntToPtrOp>(type, to, value->value);
  }
  if (type.isBool())
    return toBool(value);
  if (from.isFloat() && type.isFloat()) {
    if (from.bits() == type.bits()) // fp16 <-> bf16, fp8 <-> fp8: through what holds both
      return castTo(castTo(value, Scalar::Fp32), type);
    if (isWider(from, type))
      return emit<arith::TruncFOp>(type, to, value->value);
    return emit<arith::ExtFOp>(type, to, value->value);
  }
  if (from.isFloat()) {
    if (from.isFp8())
      return fail("fp8 cannot become " + type.name(), "cast it to tl.float32 first");
    return castFloatToInt(value, type, to);
  }
  if (type.isFloat()) {
    if (type.isFp8())
      return fail(from.name() + " cannot become fp8", "cast it to tl.float32 first");
    if (from.isSigned())
      return emit<arith::SIToFPOp>(type, to, value->value);
    return emit<arith::UIToFPOp>(type, to, value->value);
  }
  if (from.bits() == type.bits())
    return make(value->value, type);
  if (isWider(from, type))
    return emit<arith::TruncIOp>(type, to, value->value);
  if (from.isSigned())
    return emit<arith::ExtSIOp>(type, to, value->value);
  return emit<arith::ExtUIOp>(type, to, value->value);
}

/// A float or an integer, as `from` is one, of the width of `type`.
static DType getSameKind(DType from, DType type) {
  if (!from.isFloat())
    return getIntType(type.bits(), true);
  switch (type.bits()) {
  case 8:
    return Scalar::Fp8E4NV;
  case 16:
    return Scalar::Fp16;
  case 64:
    return Scalar::Fp64;
  default:
    return Scalar::Fp32;
  }
}

TensorValue *KernelBuilder::bitcast(TensorValue *value, DType type) {
  if (value->type.isPtr() || type.isPtr())
    return castTo(value, type);
  if (value->type.bits() != type.bits()) {
    requireTypes({{value, getSameKind(value->type, type)}});
    return fail("cannot read " + std::to_string(value->type.bits()) + " bits of " +
                value->type.name() + " as " + std::to_string(type.bits()) + " bits of " +
                type.name());
  }
  Type to = tile::withElementType(value->value.getType(), type.toMlir(context()));
  if (to == value->value.getType())
    return make(value->value, type);
  return emit<arith::BitcastOp>(type, to, value->value);
}

} // namespace nereid::triton
