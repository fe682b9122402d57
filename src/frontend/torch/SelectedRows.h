// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What an operator over all elements says about it over those that a mask selects. The axes of the
// mask lead; a row is what lies behind one of their places. Where each row of the result is made
// of the same row of the operands and of values that are the same for every row, selecting rows
// before or after the operator is the same.
#pragma once

#include "frontend/torch/SizeSolver.h"

#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"

namespace nereid::torch {

class SelectedRows {
public:
  /// `axes`: the axes of the mask. Operators that are not pointwise count only where there is one,
  /// for then an axis of the selection is the axis of the same number, or where the call
  /// `countsFromLast`. Sizes are compared as `solver` knows them.
  SelectedRows(int64_t axes, bool countsFromLast, const SizeSolver &solver)
      : axes(axes), countsAxes(axes == 1 || countsFromLast), solver(solver) {}

  /// A value that holds all elements, some of them selected.
  void addSelected(mlir::Value value);
  /// A value that only meets the elements of a row; it has no more axes than they.
  void addOther(mlir::Value value) { known[value] = Flow::Foreign; }

  /// Whether the rows of `result` are made of the same rows of the selected values.
  bool areRows(mlir::Value result) { return flowOf(result) == Flow::Rows; }

private:
  enum class Flow : uint8_t {
    Same,    // without the selected elements, and the same for every row
    Foreign, // without the selected elements
    Rows,    // each row from the same row
    Mixed,
  };
  Flow flowOf(mlir::Value value);
  Flow compute(mlir::OpResult value);
  Flow ofComposite(mlir::OpResult value);
  /// Of an operator whose operands have the sizes of the result.
  Flow ofPointwise(mlir::Operation *op);
  /// Of an operator that leaves the first axis alone.
  Flow ofRows(mlir::Operation *op);
  Flow ofBroadcast(mlir::Operation *op);
  /// Whether two repeat a value along the same axes of the mask.
  bool repeatAlike(mlir::Value a, mlir::Value b) const;

  /// Whether the axes of the mask lead both types, with the same sizes.
  bool leadBoth(mlir::Value a, mlir::Value b) const;

  int64_t axes;
  bool countsAxes;
  const SizeSolver &solver;
  llvm::DenseMap<mlir::Value, Flow> known;
  /// Selected values that repeat others, which a wider repetition is made of.
  llvm::SmallVector<mlir::Value> repeated;
};

} // namespace nereid::torch
