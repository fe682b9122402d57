// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which launches of a program each of its results needs: where only some are asked for, the others'
// kernels stand still, and a kernel that makes several stores only those.
//
// Of a backward program each gradient may be asked for alone. Of a program that saves what its
// gradient takes, all that is saved is asked for together, or none of it, where the program is
// marked as `host.saves_if_asked`.
#pragma once

#include "host/HostOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/SmallBitVector.h"

namespace nereid::host {

/// On a program that returns what its gradient takes besides its results: the call says whether it
/// is wanted. The program that `host.saving` names it by has the same kernels.
inline constexpr llvm::StringLiteral savesIfAskedAttrName = "host.saves_if_asked";

/// How many results of a program are its own; the others are saved for its gradient.
unsigned countOwnResults(mlir::func::FuncOp program);

class Needs {
public:
  explicit Needs(mlir::func::FuncOp program);

  /// The wishes that a launch hangs on; empty when they all do. A wish is a result of a backward
  /// program; 1 stands for all that is saved.
  llvm::SmallVector<unsigned> getResults(LaunchOp launch) const;
  /// The wishes for which a launch writes to an argument; empty when it is for all that the launch
  /// serves.
  llvm::SmallVector<unsigned> getResults(LaunchOp launch, unsigned place) const;
  /// The wishes that need a result of a call or of a function; empty when they all do.
  llvm::SmallVector<unsigned> getResults(mlir::Value made) const;
  /// Whether some launch, or something that it writes, serves some wishes only.
  bool areSelective() const { return isSelective; }
  /// Whether a tensor that is made need not be where nothing asks for it: only launches that leave
  /// it out then name it, and the end of the program.
  bool mayBeAbsent(mlir::Value made) const;

private:
  void visit(mlir::Block &block);
  void visit(LaunchOp launch);
  void visitTurns(ForOp loop);
  void visitMade(mlir::Operation *op, bool isSelected);
  llvm::SmallBitVector &of(mlir::Value value);
  void needWrites(mlir::func::FuncOp program);
  bool isLeftOut(mlir::OpOperand &use) const;

  unsigned count, own;
  bool isSelective = false;
  llvm::DenseMap<mlir::Value, llvm::SmallBitVector> values;
  llvm::DenseMap<mlir::Operation *, llvm::SmallBitVector> launches;
  llvm::DenseMap<std::pair<mlir::Operation *, unsigned>, llvm::SmallBitVector> written;
};

/// Whether a function of the program is told which of its results are wanted.
bool isSelectiveFunction(mlir::func::FuncOp function);

/// The argument of a kernel that a pointer is made from; null when it is not known.
mlir::BlockArgument getBase(mlir::Value pointer, mlir::func::FuncOp kernel);

} // namespace nereid::host
