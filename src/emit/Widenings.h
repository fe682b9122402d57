// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Widenings to 64 bits that Triton makes by itself, because a sum has another operand of 64 bits:
// `rows.to(tl.int64)[:, None] * N + cols[None, :]` needs none for the columns.
#pragma once

#include "mlir/IR/Operation.h"
#include "mlir/IR/Region.h"

#include "llvm/ADT/DenseSet.h"

namespace nereid::emit {

class Widenings {
public:
  explicit Widenings(mlir::Region &region);

  /// Whether the operation is a widening that need not be written.
  bool contains(mlir::Operation *op) const { return implied.contains(op); }
  /// Whether a value is such a widening in another shape.
  bool contains(mlir::Value value) const;

private:
  bool isWide(mlir::Value value) const;
  bool isImplied(mlir::Value widened) const;

  llvm::DenseSet<mlir::Operation *> implied;
};

} // namespace nereid::emit
