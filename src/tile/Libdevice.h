// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The functions of the CUDA device library that kernels may call, by the short names of
// `triton.language.extra.libdevice`: how many operands each takes and of which kinds.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace nereid::tile {

/// The kind of an operand or of a result.
enum class LibdeviceType : uint8_t {
  /// f32 or f64: all operands and results of this kind have one type.
  Float,
  /// i32 beside the floats (the exponent of ldexp, the truth of isnan).
  Int32,
  /// i64 beside the floats (llrint).
  Int64,
  /// i32 or i64: all operands of this kind have one type.
  AnyInt
};

struct LibdeviceFunction {
  llvm::StringLiteral name;
  LibdeviceType result;
  unsigned arity;
  LibdeviceType operands[3];
};

/// All functions, sorted by name.
llvm::ArrayRef<LibdeviceFunction> getLibdeviceFunctions();
/// Null when there is none of this name.
const LibdeviceFunction *findLibdeviceFunction(llvm::StringRef name);

} // namespace nereid::tile
