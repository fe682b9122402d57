// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parts of programs, and whether they are the same but for their sizes.
#pragma once

#include "graph/GraphOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include "llvm/ADT/SetVector.h"

namespace nereid::graph {

/// The operators of one call of a module, in the order of the program.
struct Part {
  mlir::func::FuncOp program;
  std::string name;
  llvm::SetVector<mlir::Operation *> ops;
  /// What it takes from outside, in the order in which it asks for it.
  llvm::SetVector<mlir::Value> inputs;

  /// Finds the inputs; of free values what they are made of is not asked for.
  void findInputs();
  /// Whether a value is an input or made by an operator of the part.
  bool knows(mlir::Value value) const;
};

/// Whether an operator says a constant, a size or an index: a function has its own.
bool isFree(mlir::Value value);
/// Whether a value is a number that the program is given.
bool isScalar(mlir::Value value);

/// A constant that may be the number of elements along an axis: 8 and 8.0; null for others.
index::Expr getWholeNumber(ConstantOp constant);

/// Replaces each size that an operator mentions: of its results, its attributes and, inside of it,
/// of arguments and operators. A whole number that becomes a size has that as `graph.size`.
void replaceSizes(mlir::Operation *op, llvm::function_ref<index::Expr(index::Expr)> replace);
/// Calls `visit` with an operator within a part, and before with each of the free ones that it is
/// made of, once for each use: their sizes may differ from use to use.
void walkWithFree(mlir::Operation *op, const Part &part,
                  llvm::function_ref<void(mlir::Operation *)> visit);

/// Whether two parts compute the same of what they take, but for sizes: alike parts have equally
/// many, in one order. Windows of other numbers of elements are no sizes: 3 x 3 and 5 x 5 differ.
bool areAlike(const Part &a, const Part &b);
/// Whether alike parts have the same sizes too.
bool haveEqualSizes(const Part &a, const Part &b);

} // namespace nereid::graph
