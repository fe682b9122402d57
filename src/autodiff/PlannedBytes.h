// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How large tensors are at the sizes that a program is planned for.
#pragma once

#include "autodiff/GradientWriter.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringMap.h"

namespace nereid::autodiff {

class PlannedBytes {
public:
  explicit PlannedBytes(mlir::func::FuncOp program);

  /// Of a tensor, at most 2^44.
  int64_t of(Value value) const;

  /// Of an index expression.
  int64_t of(Expr size) const;
  /// Whether a value is a parameter of the module.
  bool isParameter(Value value) const;

private:
  mlir::func::FuncOp program;
  llvm::StringMap<int64_t> sizes;
};

/// Whether an operator sums products of factors that are a fraction of its results, over as few as
/// a tile holds: the scores of attention. Gradients make them again of their factors, as tiles that
/// nothing stores where a kernel can (schedule/nest/NestedKernel.h). A layer that widens its
/// features is none: its weight is a parameter, and to make its results again takes longer than to
/// read them. The factors are halves: their products are exact, and come out the same whichever
/// side of a tile they are on. Scores of float32 do not, and large ones less the greatest of those
/// that were made before are no longer 0 or less.
bool isExpandingSum(mlir::Operation *op, const PlannedBytes &bytes);

/// The factors of an operator that sums products of elements that each factor is read for several
/// times: a matrix product's or a convolution's. Kernels find them stored, in the type that they
/// were rounded to. Empty for another operator.
llvm::SmallVector<Value> getReadFactors(mlir::Operation *op, const PlannedBytes &bytes);

} // namespace nereid::autodiff
