// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The sizes that kernels are chosen for.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace nereid::graph {

/// Where all tensors of a program are small at its hinted sizes, as those of tests are, sets
/// `graph.planned`: the hinted sizes, grown by a power of two, at which its largest tensor has
/// `plannedElements`. Sizes of 1 stay, and sizes of up to 4 that only count what lies within an
/// element of a batch (channels, coordinates). Does nothing where the program's checks, or the
/// condition of its case, forbid that.
void planSizes(mlir::func::FuncOp program);

/// Gives the sizes of arguments that have no hint typical values, `graph.typical`: 1024 each, or
/// less where an argument would have more than `plannedElements`, and such that the checks hold.
void assumeSizes(mlir::func::FuncOp program);

/// Tensors of fewer elements are launches and nothing else: no choice of kernels shows.
constexpr int64_t smallElements = int64_t(1) << 16;
constexpr int64_t plannedElements = int64_t(1) << 22;

/// `graph.planned`, or the hinted sizes, and `graph.typical`; null where there are none.
mlir::DictionaryAttr getPlannedSizes(mlir::Operation *program);

} // namespace nereid::graph
