// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which SSA values of a kernel become part of their user's expression and which get a statement and
// a name: a value folds when it is used once, in the same block, was not named by the user, and no
// write to memory lies between it and the statement that it would join.
#pragma once

#include "mlir/IR/Operation.h"
#include "mlir/IR/Region.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallVector.h"

namespace nereid::emit {

/// Printed afresh at each use: literals, meta-parameters, and shapes that Triton's broadcasting
/// implies.
bool isTransparent(mlir::Operation *op);

/// `x != x`, the test for NaN: linters ask for a mark on its line, so it has a statement of its
/// own.
bool comparesWithItself(mlir::Operation *op);

class Folding {
public:
  explicit Folding(mlir::Region &region) { analyse(region); }

  bool isFolded(mlir::Operation *op) const { return folded.contains(op); }
  /// The operations that read a value, through transparent ones; one entry a use.
  static llvm::SmallVector<mlir::Operation *> getUsers(mlir::Value value);
  /// The operation whose statement a folded operation joins; itself when it is not folded.
  mlir::Operation *getRoot(mlir::Operation *op) const;
  /// Whether every use of the value has been printed when `op`'s statement has. Uses in the regions
  /// of `op` count as later ones, because a loop comes back to them, unless `allowInside`.
  bool isDeadAfter(mlir::Value value, mlir::Operation *op, bool allowInside = false) const;

private:
  void analyse(mlir::Region &region);
  bool canFold(mlir::Operation *op) const;

  llvm::DenseSet<mlir::Operation *> folded;
  /// The operation that a folded one is printed in.
  llvm::DenseMap<mlir::Operation *, mlir::Operation *> into;
};

} // namespace nereid::emit
