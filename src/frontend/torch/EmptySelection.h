// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What operators on selected elements leave where a mask selects none: what was there before.
#pragma once

#include "graph/GraphOps.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace nereid::torch {

/// A condition that says whether a mask selects something: `mask.any()`, `mask.sum() > 0`.
struct MaskCondition {
  mlir::Value mask;
  /// The condition holds where the mask selects nothing.
  bool isNegated;
};
/// Nothing where a condition says something else.
std::optional<MaskCondition> asMaskCondition(mlir::Value condition);

/// Values as they are where no element of a mask is true.
class EmptySelection {
public:
  using Equal = llvm::function_ref<bool(mlir::Value, mlir::Value)>;
  /// `equal`: whether two values are computed alike.
  EmptySelection(mlir::Value mask, Equal equal) : mask(mask), equal(equal) {}

  /// Whether `after` has the elements of `before`.
  bool isUnchanged(mlir::Value after, mlir::Value before);

private:
  mlir::Value resolve(mlir::Value value) const;
  mlir::Value yielded(mlir::Value value);
  bool isFalse(mlir::Value value);
  bool isZero(mlir::Value value);

  mlir::Value mask;
  Equal equal;
  /// What the arguments of composites stand for.
  llvm::DenseMap<mlir::Value, mlir::Value> arguments;
};

} // namespace nereid::torch
