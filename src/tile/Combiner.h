// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Recognises the region of a `tile.reduce` or `tile.scan` as one of the usual monoids, so that the
// emitter can name it (`tl.sum`, `tl.max`) and others need not look into regions; and builds such
// regions.
#pragma once

#include "tile/TileOps.h"

namespace nereid::tile {

enum class Combiner : uint8_t {
  /// Addition and multiplication of integers or floats.
  Sum,
  Prod,
  /// Of floats: a NaN among the operands is the result.
  Max,
  Min,
  /// Of floats: the other operand is the result when one is NaN.
  MaxNum,
  MinNum,
  /// Of signed and of unsigned integers.
  SMax,
  SMin,
  UMax,
  UMin,
  /// Bitwise.
  And,
  Or,
  Xor,
  /// Two values, a number and its integer index: the greatest (least) number with its index; the
  /// smaller index on a tie.
  ArgMax,
  ArgMin
};

/// Null when the region is none of these.
std::optional<Combiner> getCombiner(mlir::Region &combine);
inline std::optional<Combiner> combinerKind(ReduceOp op) { return getCombiner(op.getCombine()); }
inline std::optional<Combiner> combinerKind(ScanOp op) { return getCombiner(op.getCombine()); }

/// Fills an empty region with the block that computes a combiner on elements of these types: one
/// for all but ArgMax and ArgMin, which take a number and an integer. On integers a Max or MaxNum
/// is refused by assertion: say SMax or UMax.
void buildCombiner(mlir::Region &combine, Combiner kind, mlir::TypeRange elements,
                   mlir::Location loc);

} // namespace nereid::tile
