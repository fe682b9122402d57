// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The operators of the machine's own types, by family: NotImplemented where a type has none, null
// after an error. Those of integers are in Integers.h.
#pragma once

#include "python/machine/Internals.h"

namespace nereid::machine {

// FloatOperators.cpp
inline bool isRealNumber(Value value) { return llvm::isa<IntObject, FloatObject>(value); }
/// Of two numbers that are not both integers.
Value floatBinary(Internals &in, BinaryOperator op, Value left, Value right);
/// Of numbers one of which is complex.
Value complexBinary(Internals &in, BinaryOperator op, Value left, Value right);

// ContainerOperators.cpp
bool isSequence(Value value);
/// `+` where one of the operands is a sequence.
Value concatenate(Internals &in, Value left, Value right);
/// `*` where one of the operands is a sequence.
Value multiplySequence(Internals &in, Value left, Value right);
/// A set, or a view of a dict that is like one.
bool isSetLike(Internals &in, Value value);
Value setLikeBinary(Internals &in, BinaryOperator op, Value left, Value right);
/// `|` of two dicts.
Value mergeDicts(Internals &in, DictObject &left, DictObject &right);
/// Augmented assignment of lists, sets and dicts changes the object.
Value nativeInPlace(Internals &in, BinaryOperator op, Value left, Value right);

} // namespace nereid::machine
