// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which SSA values of a kernel become part of their user's expression and which get a statement and
// a name: a value folds when it is used once, in the same block, was not named by the user, and no
// write to memory lies between it and the statement that it would join.
#pragma once

#include "emit/Widenings.h"

#include "mlir/IR/Operation.h"
#include "mlir/IR/Region.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallVector.h"

namespace nereid::emit {

/// `x != x`, the test for NaN: linters ask for a mark on its line, so it has a statement of its
/// own.
bool comparesWithItself(mlir::Operation *op);

class Folding {
public:
  explicit Folding(mlir::Region &region) : widenings(region) { analyse(region); }

  /// Printed afresh at each use: literals, meta-parameters, and shapes and widenings that Triton's
  /// broadcasting and promotion imply.
  bool isTransparent(mlir::Operation *op) const;
  /// A widening of which nothing is printed; for a value, through changes of its shape.
  bool isImplied(mlir::Operation *op) const { return widenings.contains(op); }
  bool isImplied(mlir::Value value) const { return widenings.contains(value); }
  bool isFolded(mlir::Operation *op) const { return folded.contains(op); }
  /// The operations that read a value, through transparent ones; one entry a use.
  llvm::SmallVector<mlir::Operation *> getUsers(mlir::Value value) const;
  /// The operation whose statement a folded operation joins; itself when it is not folded.
  mlir::Operation *getRoot(mlir::Operation *op) const;
  /// Whether every use of the value has been printed when `op`'s statement has. Uses in the regions
  /// of `op` count as later ones, because a loop comes back to them, unless `allowInside`.
  bool isDeadAfter(mlir::Value value, mlir::Operation *op, bool allowInside = false) const;

private:
  void analyse(mlir::Region &region);
  bool canFold(mlir::Operation *op) const;
  bool isExpanded(mlir::Value value) const;

  Widenings widenings;
  llvm::DenseSet<mlir::Operation *> folded;
  /// The operation that a folded one is printed in.
  llvm::DenseMap<mlir::Operation *, mlir::Operation *> into;
};

} // namespace nereid::emit
