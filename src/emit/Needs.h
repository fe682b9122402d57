// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which launches of a backward program each gradient needs: where only some are asked for, the
// others' kernels stand still, and a kernel that makes several stores only those.
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
  /// The results for which a launch writes to an argument; empty when it is for all that the launch
  /// serves.
  llvm::SmallVector<unsigned> getResults(host::LaunchOp launch, unsigned place) const;
  /// The results that need a result of a call or of a function; empty when they all do.
  llvm::SmallVector<unsigned> getResults(mlir::Value made) const;
  /// Whether some launch, or something that it writes, serves some results only.
  bool areSelective() const { return isSelective; }

private:
  void visit(mlir::Block &block);
  void visit(host::LaunchOp launch);
  void visitTurns(host::ForOp loop);
  void visitMade(mlir::Operation *op, bool isSelected);
  llvm::SmallBitVector &of(mlir::Value value);

  unsigned count;
  bool isSelective = false;
  llvm::DenseMap<mlir::Value, llvm::SmallBitVector> values;
  llvm::DenseMap<mlir::Operation *, llvm::SmallBitVector> launches;
  llvm::DenseMap<std::pair<mlir::Operation *, unsigned>, llvm::SmallBitVector> written;
};

/// Whether a function of the program is told which of its results are wanted.
bool isSelectiveFunction(mlir::func::FuncOp function);

/// The argument of a kernel that a pointer is made from; null when it is not known.
mlir::BlockArgument getBase(mlir::Value pointer, mlir::func::FuncOp kernel);

/// Whether a kernel asserts something.
bool holdsAssertions(mlir::func::FuncOp kernel);

/// What a launch tells of the precision of products, where the kernel has such as it may choose.
inline constexpr llvm::StringLiteral precisionName = "PRECISION";
bool takesPrecision(mlir::func::FuncOp kernel);

} // namespace nereid::emit
