// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The conditions of the masked loads that a value is made of.
#pragma once

#include "analysis/LaneValues.h"
#include "tile/TileOps.h"

namespace nereid::audit {

/// What is below this is taken for minus infinity.
inline constexpr double almostInfinity = -1e4;

/// The conditions of masked loads that a value is made of, which change along an axis.
class MaskConditions {
public:
  MaskConditions(mlir::Value value, unsigned axis, analysis::LaneValues &lanes) : lanes(lanes) {
    visit(value, axis);
  }
  llvm::ArrayRef<mlir::Value> get() const { return conditions; }
  /// The masked loads without `other` among what it is made of.
  llvm::ArrayRef<tile::LoadOp> getOpenLoads() const { return openLoads; }
  /// Whether a loop carries some of it, which starts from something of its own.
  bool isCarried() const { return carried; }

private:
  void visit(mlir::Value value, unsigned axis);
  void add(tile::LoadOp load, unsigned axis);

  analysis::LaneValues &lanes;
  llvm::SmallVector<mlir::Value> conditions;
  llvm::SmallVector<tile::LoadOp> openLoads;
  llvm::DenseSet<std::pair<mlir::Value, unsigned>> seen;
  bool carried = false;
};

/// All that a value is computed from, a few steps back.
void collectSources(mlir::Value value, llvm::DenseSet<mlir::Value> &sources, unsigned depth = 0);

/// Squares, magnitudes, exponentials and what is made of them.
bool isNotNegative(mlir::Value value, unsigned depth = 0);

/// The number that a constant operation is, or fills its tile with; nothing for others and null.
std::optional<double> literalOf(mlir::Operation *op);
/// The same behind casts and repetitions too.
std::optional<double> constantOf(mlir::Value value);

} // namespace nereid::audit
