// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sorts before scheduling. Kernels sort lines of distinct integers and nothing else: a key in the
// order of the element (graph.order) in the upper half of an i64, its position in the lower half.
// The order of the packed numbers is the stable order of the elements; unpacked they are the
// positions, by which the values are gathered. Keys of 64 bits are sorted twice, by their lower
// halves and then, stably, by their upper ones. Around the sort all of this is maps, which fuse.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace nereid::graph {

class SortOp;

/// Whether the program has a sort that kernels do not do as it is.
bool needsSortLowering(mlir::func::FuncOp func);

/// Writes the sorts of a program as sorts of plain integers.
void lowerSorts(mlir::func::FuncOp func);

/// Whether kernels do a sort as it is: of i32 or i64 along the last axis, in increasing order, and
/// nobody asks for the positions.
bool isPlainSort(graph::SortOp sort);

/// Whether 64-bit keys are as these sorts make them: each above its position.
bool areAbovePositions(mlir::Value keys);

} // namespace nereid::graph
