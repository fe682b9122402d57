// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which operators of the graph the cascade algebra looks into.
#pragma once

#include "schedule/folds/Cascade.h"
#include "schedule/program/Value.h"

namespace nereid::schedule {

/// The operator as the algebra names it; nothing for one that it does not look into.
std::optional<Body::Kind> bodyKindOf(mlir::Operation *op);

/// A cast that may change places with a sum: it loses nothing, or what it rounds nobody sees
/// rounded.
bool keepsPrecision(const Value &value, const StoredSet &stored);

/// What cannot be looked into, and why.
Body opaqueBody(std::string reason);

/// Why a map of elements and results is not looked into.
std::string whyOpaque(const Value &value);

/// The access without casts that lose nothing.
Access throughExtensions(Access access, const Program &program);

} // namespace nereid::schedule
