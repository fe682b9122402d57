// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether two kernels are one computation: the same loads, stores and loops in the same order, of
// values that have equal numbers (Numbers.h). What loops carry is found equal by assuming that it
// is, and dividing what turns out to differ; a value that grows by the same in each turn is its
// first value and the growth, so that a tile of offsets may be carried for a scalar.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <optional>
#include <string>

namespace nereid::upgrade {

/// Where two kernels differ.
struct Difference {
  std::string what; // "the address of a tile.load"
  mlir::Location before, after;
};

/// Nullopt: they are the same. Both are brought to a canonical form first.
std::optional<Difference> findDifference(mlir::func::FuncOp before, mlir::func::FuncOp after);

} // namespace nereid::upgrade
