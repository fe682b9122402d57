// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Axes of a few elements, of a number that is known: a program does without a tile axis for them,
// its code is repeated for each index. A fold of four values in different places of memory is the
// sum of four loads, and what it is for is written next to it.
#pragma once

#include "schedule/nest/Kernel.h"

namespace nereid::schedule {

/// Calls `visit` with the indices of each element of axes of constant extents, in row-major order.
void forEachIndex(llvm::ArrayRef<Expr> extents, index::Context &context,
                  llvm::function_ref<void(llvm::ArrayRef<Expr>)> visit);

/// Whether all columns of a kernel are so few that code may be repeated for each of them; the
/// kernel makes so many reads and writes for one.
bool hasFewColumns(const Kernel &kernel, size_t accesses);

/// Makes a kernel one without folds, over its rows: it has outputs once for each of their columns.
void unrollColumns(Kernel &kernel, index::Context &context);

/// Whether code may be repeated for each index of an axis of a flat kernel.
bool isFewElements(Expr extent, size_t accesses);

/// Takes an axis out of the tile of a flat kernel: outputs stand there once for each of its
/// indices. Where it is the innermost axis of two elements, neighbours are stored together instead.
void unrollAxis(Kernel &kernel, unsigned axis, index::Context &context);

} // namespace nereid::schedule
