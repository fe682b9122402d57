// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How folds are computed: how two accumulators are combined, and the reduction of a tile along one
// of its axes.
#pragma once

#include "schedule/kernel/TileValue.h"
#include "schedule/program/FoldKinds.h"
#include "tile/Combiner.h"

namespace nereid::schedule {

/// The combiner of a fold (not arg* or logsum, which have none of a single operation) on
/// accumulators of a type. Bools count as 0 and 1.
tile::Combiner combinerOf(graph::FoldKind kind, mlir::Type element, bool dropNan = false);

/// Fills the empty region of a reduction or scan (not arg*) on accumulators of a type.
void buildFoldRegion(mlir::OpBuilder &builder, mlir::Region &region, graph::FoldKind kind,
                     mlir::Type element, mlir::Location loc, bool dropNan = false);

/// Combines two accumulators, scalars or tiles.
mlir::Value combine(mlir::OpBuilder &builder, graph::FoldKind kind, mlir::Type element,
                    mlir::Value a, mlir::Value b, mlir::Location loc, bool dropNan = false);

/// Whether (a, i) wins over (b, j): greater (less), a NaN counting as greatest (least), the smaller
/// index on a tie.
mlir::Value argWins(mlir::OpBuilder &builder, graph::FoldKind kind, mlir::Type element,
                    mlir::Value a, mlir::Value i, mlir::Value b, mlir::Value j, mlir::Location loc);

/// Reduces accumulators, tiles along `axes`, along one of these and converts the result to the
/// fold's type.
TileValue reduceTile(mlir::OpBuilder &builder, const Value &value,
                     llvm::ArrayRef<mlir::Value> tiles, llvm::ArrayRef<unsigned> axes,
                     unsigned axis, bool dropNan, mlir::Location loc);

} // namespace nereid::schedule
