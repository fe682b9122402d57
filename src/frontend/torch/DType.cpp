// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/torch/DType.h"

using namespace llvm;

namespace nereid::torch {

namespace {

struct Names {
  DType type;
  StringLiteral spec, torch, scalar;
};

constexpr Names table[] = {
    {DType::Bool, "bool", "bool", "Bool"},
    {DType::U8, "u8", "uint8", "Byte"},
    {DType::I8, "i8", "int8", "Char"},
    {DType::I16, "i16", "int16", "Short"},
    {DType::I32, "i32", "int32", "Int"},
    {DType::I64, "i64", "int64", "Long"},
    {DType::U16, "u16", "uint16", "UInt16"},
    {DType::U32, "u32", "uint32", "UInt32"},
    {DType::U64, "u64", "uint64", "UInt64"},
    {DType::F8E4M3, "f8e4m3", "float8_e4m3fn", "Float8_e4m3fn"},
    {DType::F8E5M2, "f8e5m2", "float8_e5m2", "Float8_e5m2"},
    {DType::F16, "f16", "float16", "Half"},
    {DType::BF16, "bf16", "bfloat16", "BFloat16"},
    {DType::F32, "f32", "float32", "Float"},
    {DType::F64, "f64", "float64", "Double"},
};

const Names &namesOf(DType type) { return table[static_cast<unsigned>(type)]; }

/// Bits of an integer and whether it is signed.
std::pair<unsigned, bool> integerShape(DType type) {
  switch (type) {
  case DType::U8:
    return {8, false};
  case DType::I8:
    return {8, true};
  case DType::I16:
    return {16, true};
  case DType::I32:
    return {32, true};
  case DType::I64:
    return {64, true};
  case DType::U16:
    return {16, false};
  case DType::U32:
    return {32, false};
  case DType::U64:
    return {64, false};
  default:
    return {1, true};
  }
}

std::optional<DType> promoteIntegers(DType a, DType b) {
  auto wide = [](DType type) {
    return type == DType::U16 || type == DType::U32 || type == DType::U64;
  };
  if (a == DType::Bool)
    return b;
  if (b == DType::Bool)
    return a;
  if (wide(a) || wide(b))
    return std::nullopt; // PyTorch has no promotion for these
  auto [bitsA, signedA] = integerShape(a);
  auto [bitsB, signedB] = integerShape(b);
  if (signedA == signedB)
    return bitsA >= bitsB ? a : b;
  DType other = signedA ? a : b; // the signed one; the unsigned one is uint8
  return other == DType::I8 ? DType::I16 : other;
}

} // namespace

bool isEightBits(DType type) { return type == DType::F8E4M3 || type == DType::F8E5M2; }
bool isFloat(DType type) { return type >= DType::F8E4M3; }
bool isNarrowFloat(DType type) { return type >= DType::F8E4M3 && type <= DType::BF16; }
DType computeType(DType type) { return isNarrowFloat(type) ? DType::F32 : type; }

StringRef getSpecName(DType type) { return namesOf(type).spec; }
StringRef getTorchName(DType type) { return namesOf(type).torch; }
StringRef getScalarName(DType type) { return namesOf(type).scalar; }

std::optional<DType> parseSpecName(StringRef name) {
  for (const Names &names : table)
    if (names.spec == name)
      return names.type;
  return std::nullopt;
}

std::optional<DType> parseTorchName(StringRef name) {
  static constexpr std::pair<StringLiteral, DType> aliases[] = {
      {"float", DType::F32}, {"double", DType::F64}, {"half", DType::F16},
      {"int", DType::I32},   {"long", DType::I64},   {"short", DType::I16},
  };
  for (const auto &[alias, type] : aliases)
    if (alias == name)
      return type;
  for (const Names &names : table)
    if (names.torch == name && !isEightBits(names.type))
      return names.type;
  return std::nullopt;
}

mlir::Type toMlir(DType type, mlir::MLIRContext *context) {
  switch (type) {
  case DType::F8E4M3:
    return mlir::Float8E4M3FNType::get(context);
  case DType::F8E5M2:
    return mlir::Float8E5M2Type::get(context);
  case DType::F16:
    return mlir::Float16Type::get(context);
  case DType::BF16:
    return mlir::BFloat16Type::get(context);
  case DType::F32:
    return mlir::Float32Type::get(context);
  case DType::F64:
    return mlir::Float64Type::get(context);
  default:
    auto [bits, isSigned] = integerShape(type);
    return mlir::IntegerType::get(
        context, bits, isSigned ? mlir::IntegerType::Signless : mlir::IntegerType::Unsigned);
  }
}

DType fromMlir(mlir::Type type) {
  for (const Names &names : table)
    if (toMlir(names.type, type.getContext()) == type)
      return names.type;
  llvm_unreachable("not an element type of a graph tensor");
}

std::optional<DType> promote(DType a, DType b) {
  if (a == b)
    return a;
  if (isFloat(a) != isFloat(b))
    return isFloat(a) ? a : b;
  if (!isFloat(a))
    return promoteIntegers(a, b);
  if (isEightBits(a) || isEightBits(b))
    return std::nullopt;
  if (isNarrowFloat(a) && isNarrowFloat(b))
    return DType::F32; // f16 with bf16
  return a > b ? a : b;
}

bool canStore(DType from, DType to) {
  if (isFloat(from) && !isFloat(to))
    return false;
  return from == DType::Bool || to != DType::Bool;
}

std::optional<DType> resultType(ArrayRef<Typed> operands) {
  std::optional<DType> byRank[3];
  for (const Typed &operand : operands) {
    DType type = operand.type;
    if (operand.rank == Rank::Number && isFloat(type))
      type = DType::F32; // the default type
    std::optional<DType> &slot = byRank[static_cast<unsigned>(operand.rank)];
    std::optional<DType> merged = slot ? promote(*slot, type) : type;
    if (!merged)
      return std::nullopt;
    slot = merged;
  }
  // A lower rank counts only where its kind (bool, integer, float) is higher.
  auto combine = [](std::optional<DType> higher,
                    std::optional<DType> lower) -> std::optional<DType> {
    if (!higher || !lower)
      return higher ? higher : lower;
    if (isFloat(*higher))
      return higher;
    if (*higher == DType::Bool || isFloat(*lower))
      return promote(*higher, *lower);
    return higher;
  };
  return combine(byRank[0], combine(byRank[1], byRank[2]));
}

} // namespace nereid::torch
