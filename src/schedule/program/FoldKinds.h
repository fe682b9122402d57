// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the kinds of folds say: their neutral elements, and how many elements are few.
#pragma once

#include "graph/GraphOps.h"
#include "schedule/program/Value.h"

namespace nereid::schedule {

/// The kind of a fold or scan.
graph::FoldKind kindOf(const Value &value);
/// Whether extents are those of a few elements in every call: a lane folds all of them.
bool areFew(llvm::ArrayRef<Expr> extents);
bool isArg(graph::FoldKind kind);

/// The element type in which a fold of elements of a type accumulates: small integers and bools in
/// i32.
mlir::Type accumulatorType(mlir::Type element);

/// In the range of the elements, which a load's padding must have; also where they accumulate in a
/// wider type.
double neutralOf(graph::FoldKind kind, mlir::Type element);

} // namespace nereid::schedule
