// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The scalar types of the Triton language: numbers with a sign, and pointers to them. The IR below
// is signless, so the front end carries these beside every value to pick operators and promotions.
#pragma once

#include "mlir/IR/BuiltinTypes.h"

#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace nereid::triton {

enum class Scalar : uint8_t {
  Void,
  Int1, // unsigned, as upstream has it
  Int8,
  Int16,
  Int32,
  Int64,
  UInt8,
  UInt16,
  UInt32,
  UInt64,
  Fp8E5,
  Fp8E4NV,
  Fp16,
  BF16,
  Fp32,
  Fp64,
  // Named so that a kernel can compare with them; no value has one.
  Fp8E4B15,
  Fp8E4B8,
  Fp8E5B16,
};

/// A number type under any count of pointers.
struct DType {
  Scalar scalar = Scalar::Void;
  uint8_t pointers = 0;
  bool isConst = false; // of the outermost pointer

  DType() = default;
  DType(Scalar scalar, unsigned pointers = 0, bool isConst = false)
      : scalar(scalar), pointers(pointers), isConst(isConst) {}
  bool operator==(const DType &other) const = default;

  bool isPtr() const { return pointers != 0; }
  bool isVoid() const { return !isPtr() && scalar == Scalar::Void; }
  bool isInt() const { return !isPtr() && scalar >= Scalar::Int1 && scalar <= Scalar::UInt64; }
  bool isBool() const { return !isPtr() && scalar == Scalar::Int1; }
  bool isSigned() const { return !isPtr() && scalar >= Scalar::Int8 && scalar <= Scalar::Int64; }
  bool isUnsigned() const { return isInt() && !isSigned(); }
  bool isFloat() const { return !isPtr() && scalar >= Scalar::Fp8E5; }
  bool isFp8() const { return !isPtr() && (scalar == Scalar::Fp8E5 || scalar == Scalar::Fp8E4NV); }
  /// A value can have this type.
  bool hasValues() const { return scalar <= Scalar::Fp64; }
  bool is(Scalar other) const { return !isPtr() && scalar == other; }
  DType pointee() const { return DType(scalar, pointers - 1); }
  DType pointer(bool constant = false) const { return DType(scalar, pointers + 1, constant); }
  /// 64 for pointers.
  unsigned bits() const;
  /// bool < int < float, for the rule about scalars.
  unsigned kind() const { return isFloat() ? 2 : isBool() ? 0 : 1; }
  /// How a program spells it: `tl.float32`, `tl.pointer_type(tl.int8)`.
  std::string spelling() const;
  /// Upstream's name: `int32`, `fp16`, `pointer<fp32>`.
  std::string name() const;
  /// As signatures have it: `i32`, `*fp16`.
  std::string signature() const;

  /// The type of a value of this type (signless), and of what a pointer points at (signed).
  mlir::Type toMlir(mlir::MLIRContext *context) const;
  mlir::Type toPointee(mlir::MLIRContext *context) const;
};

/// `fp32`, `*fp16`, `i64`, `*ki8`, and the short forms `f32`, `f16`; nullopt for unknown ones.
std::optional<DType> parseSignatureType(llvm::StringRef text);
/// The types of a signature, at the commas that stand in no brackets:
/// `tensordesc<fp16[64, 32], nan>` is one, and so is `(*fp32, i32)`, a tuple.
llvm::SmallVector<llvm::StringRef> splitSignature(llvm::StringRef text);
/// The dtype that `tl.NAME` names: `float32`, `int1`, `float8e5`, ...
std::optional<DType> findDType(llvm::StringRef name);
/// All names of dtypes in `tl`, for making the module.
struct NamedDType {
  llvm::StringLiteral name;
  Scalar scalar;
};
llvm::ArrayRef<NamedDType> getNamedDTypes();

/// The signed or unsigned integer of this width.
DType getIntType(unsigned bits, bool isSigned);
/// C's usual arithmetic conversions.
DType promoteIntegers(DType a, DType b);
/// The type in which two operands are combined; nullopt, with `reason` set, when there is none.
/// `aLiteral`: the operand is a Python number, whose kind alone counts.
std::optional<DType> promote(DType a, bool aLiteral, DType b, bool bLiteral, bool divides,
                             std::string &reason);

} // namespace nereid::triton
