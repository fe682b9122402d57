// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which values of a program the evaluator does not store: the operand of a fold, and what it is
// made of by maps and views, where nothing else reads it. The operand of a product of matrices has
// as many elements as the product has multiplications.
#pragma once

#include "graph/GraphOps.h"

#include "llvm/ADT/DenseMap.h"

#include <optional>
#include <utility>

namespace nereid::graph {

class FoldedValues {
public:
  /// Looks at a block and what is nested in it.
  void add(mlir::Block &block);

  /// Whether a value is computed where it is read. A view that others than folds read is stored
  /// once one of them asks for it.
  bool isDeferred(mlir::Value value) const { return uses.lookup(value).isDeferred; }
  /// Whether it is never stored.
  bool isNeverStored(mlir::Value value) const {
    Use use = uses.lookup(value);
    return use.isDeferred && !use.isRead;
  }

private:
  struct Use {
    /// The fold that all readers lead to, by maps and by views that repeat no element; null where
    /// there is none. So many operators stand between.
    mlir::Operation *fold = nullptr;
    unsigned depth = 0;
    bool isDeferred = false;
    /// Whether a reader wants a stored value.
    bool isRead = false;
  };
  Use combine(mlir::Value value) const;
  Use followed(mlir::OpOperand &operand) const;

  llvm::DenseMap<mlir::Value, Use> uses;
};

/// Operators whose result is elements of their operand, or numbers of an axis, where their indices
/// are linear in those of the result.
bool isLinearView(mlir::Operation *op);

/// What a value is on the other side of a composite's bounds: an argument's operand, or what is
/// yielded as a result; null for all others.
mlir::Value acrossBounds(mlir::Value value);

/// For each axis of a tensor which axes of another it is split into, first and end; nullopt where
/// axes are merged, or where that cannot be told.
using AxisGroups = llvm::SmallVector<std::pair<unsigned, unsigned>, 6>;
std::optional<AxisGroups> findSplits(llvm::ArrayRef<index::Expr> whole,
                                     llvm::ArrayRef<index::Expr> parts);

} // namespace nereid::graph
