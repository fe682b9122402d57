// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the values of a kernel hang on: the program's numbers, and memory.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace nereid::audit {

class Dependence {
public:
  /// A bit for each axis of the grid, and one for what is loaded.
  static constexpr unsigned Axes = 7, Memory = 8;

  explicit Dependence(mlir::func::FuncOp kernel);

  unsigned of(mlir::Value value) const { return value ? known.lookup(value) : 0; }
  /// Of all conditions under which an operation is executed. `picks`: without bounds, which hold of
  /// several programs (`begin < end`).
  unsigned ofPath(mlir::Operation *op, bool picks = false) const;

private:
  bool add(mlir::Value value, unsigned more);
  bool visit(mlir::Operation *op);

  llvm::DenseMap<mlir::Value, unsigned> known;
};

} // namespace nereid::audit
