// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Values while a kernel is built: a scalar or a tile together with the tile axes along which it
// varies, and the operations that bring operands to common axes.
#pragma once

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "tile/Combiner.h"
#include "tile/TileOps.h"
#include "tile/TileTypes.h"

namespace nereid::schedule {

/// A value that varies along some of the kernel's tile axes (ascending numbers); none for a scalar.
struct TileValue {
  mlir::Value value;
  llvm::SmallVector<unsigned, 2> axes;
  /// What lanes beyond the bounds of the axes hold, where that is known to be one number.
  std::optional<double> pad;
};

/// A tile axis of a kernel: the block that sizes it, by name and by the number of the first
/// configuration.
struct TileAxis {
  std::string block;
  int64_t extent = 1;
};

/// Builds scalars and tiles over the tile axes of one kernel.
class TileMath {
public:
  explicit TileMath(mlir::OpBuilder &builder) : builder(builder) {}

  std::vector<TileAxis> axes;

  mlir::Type tileType(mlir::Type element, llvm::ArrayRef<unsigned> along) const;
  /// The value repeated along further axes.
  mlir::Value lift(const TileValue &value, llvm::ArrayRef<unsigned> along, mlir::Location loc);
  /// Brings all to their common axes, which it returns.
  llvm::SmallVector<unsigned, 2> unify(llvm::MutableArrayRef<TileValue> values, mlir::Location loc);

  TileValue constant(mlir::Type element, double number, mlir::Location loc);
  TileValue integer(int64_t number, unsigned width, mlir::Location loc);

  /// Integers of either width: the wider one wins.
  template <typename OpTy> TileValue combineIntegers(TileValue a, TileValue b, mlir::Location loc) {
    widenToCommon(a, b, loc);
    TileValue operands[] = {a, b};
    auto along = unify(operands, loc);
    return {OpTy::create(builder, loc, operands[0].value, operands[1].value).getResult(), along,
            std::nullopt};
  }
  TileValue compare(mlir::arith::CmpIPredicate predicate, TileValue a, TileValue b,
                    mlir::Location loc);
  TileValue logicalAnd(TileValue a, TileValue b, mlir::Location loc);
  TileValue logicalOr(TileValue a, TileValue b, mlir::Location loc);
  /// A tile's lanes along one of its axes brought together.
  TileValue reduce(tile::Combiner combiner, TileValue tile, unsigned axis, mlir::Location loc);
  TileValue select(TileValue condition, TileValue a, TileValue b, mlir::Location loc);
  TileValue widen(TileValue value, unsigned width, mlir::Location loc);
  void widenToCommon(TileValue &a, TileValue &b, mlir::Location loc);

  mlir::OpBuilder &builder;
};

} // namespace nereid::schedule
