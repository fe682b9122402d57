// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scatters before scheduling. A float sum must come out the same on every run, so no two programs
// may add to one place in the order in which they happen to arrive. Two forms keep an order:
//
//   masked   result[i] = (+)_k (index[k] == i ? update[k] : neutral): a map under a fold, which
//            fuses with what it reads. Every place looks at every update: for short axes.
//   sorted   the places of the updates are sorted, stably, so that the updates of a place are a run
//            (ScatterSort.cpp). For all sizes.
//
// What comes out the same in any order (integers; places that are met once) may stay a scatter: its
// kernel goes over the updates and combines them by atomics.
#pragma once

#include "graph/GraphOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <functional>

namespace nereid::graph {

struct ScatterOptions {
  /// Decides in place of the sizes, when set: ScheduleOptions::choose.
  std::function<unsigned(unsigned)> choose;
  /// Sums of floats may be made by atomics.
  bool allowNondeterministic = false;
};

/// Whether reading the program needs a copy of it: scatters are lowered there, segments given their
/// fold.
bool needsScatterLowering(mlir::func::FuncOp func);

/// Writes the scatters of a program as folds, but for those that atomics make.
void lowerScatters(mlir::func::FuncOp func, const ScatterOptions &options);

/// The fold of no elements: an f64, or an i64 for integers.
mlir::TypedAttr neutralElement(graph::FoldKind kind, mlir::Type element);

} // namespace nereid::graph
