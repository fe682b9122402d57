// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the kinds of folds are made of: neutral elements, how two accumulators are combined, and the
// reduction of a tile along one of its axes.
#pragma once

#include "graph/GraphOps.h"
#include "schedule/TileValue.h"
#include "schedule/Value.h"
#include "tile/Combiner.h"

namespace nereid::schedule {

/// The kind of a fold or scan.
graph::FoldKind kindOf(const Value &value);
/// Whether extents are those of a few elements in every call: a lane folds all of them.
bool areFew(llvm::ArrayRef<Expr> extents);
bool isArg(graph::FoldKind kind);

/// In the range of the elements, which a load's padding must have; also where they accumulate in a
/// wider type.
double neutralOf(graph::FoldKind kind, mlir::Type element);

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
