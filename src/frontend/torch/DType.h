// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// PyTorch's element types: their names, their MLIR types, and how types meet in one operator
// (torch.result_type).
#pragma once

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <optional>

namespace nereid::torch {

enum class DType : uint8_t {
  Bool,
  U8,
  I8,
  I16,
  I32,
  I64,
  U16,
  U32,
  U64,
  F8E4M3,
  F8E5M2,
  F16,
  BF16,
  F32,
  F64,
};

bool isFloat(DType type);
/// The fp8 types: graphs may have them, programs of PyTorch may not yet.
bool isEightBits(DType type);
/// f16, bf16 and the two fp8 types, in which nothing is computed.
bool isNarrowFloat(DType type);
inline bool isInteger(DType type) { return !isFloat(type) && type != DType::Bool; }
/// The type that an operator with results of `type` computes in.
DType computeType(DType type);

/// `f32`, `bool`: the name in input specifications.
llvm::StringRef getSpecName(DType type);
/// `float32`, `bool`: the name in torch.
llvm::StringRef getTorchName(DType type);
/// `Float`, `Long`: the name in PyTorch's messages.
llvm::StringRef getScalarName(DType type);
std::optional<DType> parseSpecName(llvm::StringRef name);
/// Also the aliases `half`, `long`, `double`; not the fp8 types.
std::optional<DType> parseTorchName(llvm::StringRef name);

mlir::Type toMlir(DType type, mlir::MLIRContext *context);
DType fromMlir(mlir::Type type);

/// torch.promote_types; nullopt where PyTorch refuses.
std::optional<DType> promote(DType a, DType b);
/// True if PyTorch lets an in-place operator store a result of one type in another.
bool canStore(DType from, DType to);

/// How an operand takes part in promotion.
enum class Rank : uint8_t { Dimensions, Zero, Number };
struct Typed {
  DType type;
  Rank rank;
};
/// torch.result_type over all operands.
std::optional<DType> resultType(llvm::ArrayRef<Typed> operands);

} // namespace nereid::torch
