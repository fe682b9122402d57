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

private:
  llvm::StringMap<int64_t> sizes;
};

} // namespace nereid::autodiff
