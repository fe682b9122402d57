// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which launches of a backward program each gradient needs: where only some are asked for, the
// others' kernels stand still.
#pragma once

#include "host/HostOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/SmallBitVector.h"

namespace nereid::emit {

class Needs {
public:
  explicit Needs(mlir::func::FuncOp program);

  /// The results that hang on a launch; empty when they all do.
  llvm::SmallVector<unsigned> getResults(host::LaunchOp launch) const;
  /// Whether some launch serves some results only.
  bool areSelective() const { return isSelective; }

private:
  void visit(mlir::Block &block);
  void visit(host::LaunchOp launch);
  llvm::SmallBitVector &of(mlir::Value value);

  unsigned count;
  bool isSelective = false;
  llvm::DenseMap<mlir::Value, llvm::SmallBitVector> values;
  llvm::DenseMap<mlir::Operation *, llvm::SmallBitVector> launches;
};

} // namespace nereid::emit
