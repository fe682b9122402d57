// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The C library's functions of floats, by the names that math and tile.libdevice have for them.
#pragma once

#include "interpreter/Code.h"

#include "llvm/ADT/StringRef.h"

namespace nereid::interpreter {

template <typename T> using Unary = T (*)(T);
template <typename T> using Binary = T (*)(T, T);
template <typename T> using Ternary = T (*)(T, T, T);

/// A function of one to three floats in both precisions. Both pointers have the same arity.
struct FloatFunction {
  llvm::StringLiteral name;
  unsigned arity;
  AnyFunction single;
  AnyFunction full;
};

/// Null for a name that is none of them.
const FloatFunction *findFloatFunction(llvm::StringRef name);

} // namespace nereid::interpreter
