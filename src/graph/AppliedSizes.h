// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the sizes of a function are where it is applied.
#pragma once

#include "graph/GraphOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace nereid::graph {

class AppliedSizes {
public:
  /// A symbol is the size of the first axis that it names among the arguments, or the number that
  /// is given for it; one that is neither is the caller's of that name.
  AppliedSizes(mlir::func::FuncOp function, mlir::ValueRange operands);

  index::Expr operator()(index::Expr size) const { return index::substitute(size, values); }
  mlir::Type operator()(mlir::Type type) const;
  llvm::SmallVector<mlir::Type> operator()(mlir::TypeRange types) const;

private:
  llvm::DenseMap<index::Expr, index::Expr> values;
};

} // namespace nereid::graph
