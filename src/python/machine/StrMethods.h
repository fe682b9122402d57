// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the files of the methods of str share.
#pragma once

#include "python/machine/Internals.h"

namespace nereid::machine {

using Args = llvm::ArrayRef<Value>;

/// Whether `isspace` is true of a code point.
bool isSpace(uint32_t code);

inline llvm::StringRef textOf(Value value) { return llvm::cast<StrObject>(value)->text; }

/// False after a TypeError or a refusal, whose text begins with `what`.
bool needStr(Internals &in, llvm::StringRef what, Value value);

/// Adds a method; `fn` takes the machine and the arguments, `self` first.
template <typename Fn>
void addStrMethod(Internals &in, llvm::StringRef name, llvm::StringRef signature, Fn fn) {
  in.m.addBuiltin(in.classes.str, name, signature,
                  [&in, fn](Machine &, Args a) -> Value { return fn(in, a); });
}

// StrParts.cpp
void addSearchMethods(Internals &in);
void addPartMethods(Internals &in);

} // namespace nereid::machine
