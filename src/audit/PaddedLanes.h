// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the lanes hold that a mask leaves out, and whether a fold counts them: TRC003, TRC004 and
// TRN009.
//
//   x = tl.load(p + cols, mask=cols < n)               those beyond n hold nothing
//   x = tl.load(p + cols, mask=cols < n, other=0.0)    ... hold 0,
//   c = x - mean                                       ... hold -mean,
//   tl.sum(c * c, axis=0)                              ... and are counted: TRN009
//   c = tl.where(cols < n, x - mean, 0.0)              good: they hold 0 again
//
// Each condition of a mask is followed by itself: what a value is on the lanes where it fails. What
// is not understood is not spoken of.
#pragma once

#include "audit/RuleSite.h"

#include "tile/TileOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace nereid::audit {

void findPaddedLanes(mlir::func::FuncOp kernel, RuleSite &site);

/// The value of a lane where a condition fails.
struct PaddedValue {
  enum Kind : uint8_t {
    /// A number.
    Constant,
    /// What a masked load without `other` gives.
    Undefined,
    /// Something that is the same on all such lanes, and in general no number.
    Uniform,
    Unknown
  };
  Kind kind = Unknown;
  double number = 0;
  bool is(double other) const { return kind == Constant && number == other; }
  bool operator==(const PaddedValue &other) const {
    return kind == other.kind && (kind != Constant || number == other.number);
  }
};

/// Follows one condition.
class PaddedLanes {
public:
  explicit PaddedLanes(mlir::Value condition) : condition(condition) {}

  /// `axis`: the one of the tile along which the condition changes.
  PaddedValue at(mlir::Value value, unsigned axis);
  /// Whether lanes on which the condition fails are left out where `mask` holds.
  bool isImpliedBy(mlir::Value mask) const;

private:
  PaddedValue compute(mlir::Value value, unsigned axis);
  PaddedValue atCarried(mlir::BlockArgument argument, unsigned axis);
  PaddedValue atLoad(mlir::Operation *op, unsigned axis);
  PaddedValue atChoice(mlir::Operation *op, unsigned axis);
  PaddedValue atArithmetic(mlir::Operation *op, unsigned axis);
  PaddedValue atShape(mlir::Operation *op, unsigned axis);

  mlir::Value condition;
  llvm::DenseMap<std::pair<mlir::Value, unsigned>, PaddedValue> known;
};

/// The conditions that all have to hold, each without its broadcasts.
llvm::SmallVector<mlir::Value> conditionsOf(mlir::Value mask);
/// The axes along which a value may change, a bit each.
unsigned varyingAxes(mlir::Value value, unsigned depth = 0);
/// Whether two values are computed in the same way.
bool areAlike(mlir::Value a, mlir::Value b, unsigned depth = 0);

} // namespace nereid::audit
