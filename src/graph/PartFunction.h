// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A function of the graph in place of alike parts.
#pragma once

#include "graph/AlikeParts.h"
#include "sym/SymDialect.h"

namespace nereid::graph {

/// The streams of the random numbers of a module. While parts are compared all of them are 0.
class Streams {
public:
  explicit Streams(mlir::ModuleOp module);

  /// Those of the operators of a part, in their order.
  llvm::SmallVector<index::Expr> of(const Part &part) const;

  /// Functions count their own.
  void putBack();

private:
  mlir::ModuleOp module;
  llvm::DenseMap<mlir::Operation *, sym::ExprAttr> numbers;
};

/// Makes a function of alike parts that draw random numbers alike, and applies it in their place.
/// Fails, and changes nothing, where no sizes of such a function are found.
mlir::LogicalResult outlineParts(mlir::ModuleOp module, llvm::ArrayRef<Part *> parts,
                                 const Streams &streams);

} // namespace nereid::graph
