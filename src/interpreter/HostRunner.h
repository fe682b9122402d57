// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One run of a host program: its values, the numbers of its symbols, and what each operation does.
// Private to the files of runHost (Interpreter.h).
#pragma once

#include "interpreter/Interpreter.h"

#include "host/HostOps.h"
#include "tile/TileDialect.h"

#include "llvm/ADT/StringMap.h"

namespace nereid::interpreter {

/// Executes the operations of one host program.
class HostRunner {
public:
  HostRunner(mlir::func::FuncOp program, const RunOptions &options, HostRun &run)
      : program(program), options(options), run(run) {}

  mlir::LogicalResult bindArguments(llvm::ArrayRef<HostValue> arguments);
  mlir::LogicalResult runBlock(mlir::Block &block);
  HostValue get(mlir::Value value) const { return values.lookup(value); }
  /// A check failed or a launch has findings: nothing more is run.
  bool isStopped() const { return !run.succeeded(); }
  mlir::LogicalResult runDispatch(host::DispatchOp op);

private:
  // RunHost.cpp
  mlir::LogicalResult runOp(mlir::Operation *op);
  mlir::LogicalResult runScalar(mlir::Operation *op);

  // HostTensors.cpp
  mlir::LogicalResult runContiguous(host::ContiguousOp op);
  mlir::LogicalResult runEmpty(host::EmptyOp op);
  mlir::FailureOr<llvm::SmallVector<int64_t>>
  bindStrides(mlir::Operation *op, mlir::ValueRange like, host::TensorType type);
  mlir::LogicalResult runCopyLike(host::CopyLikeOp op);
  mlir::LogicalResult runFull(host::FullOp op);
  mlir::LogicalResult runView(host::ViewOp op);
  mlir::LogicalResult runAssign(host::AssignOp op);

  // HostControl.cpp
  mlir::LogicalResult runIf(host::IfOp op);
  mlir::LogicalResult runWhile(host::WhileOp op);
  mlir::LogicalResult runFor(host::ForOp op);
  mlir::LogicalResult runLaunch(host::LaunchOp op);
  mlir::FailureOr<mlir::DictionaryAttr> evaluateMeta(host::LaunchOp op);
  mlir::FailureOr<llvm::SmallVector<int64_t>> evaluateGrid(host::LaunchOp op,
                                                           tile::ConfigAttr config);
  mlir::LogicalResult runApply(host::ApplyOp op);

  mlir::FailureOr<int64_t> evaluate(mlir::Operation *op, index::Expr expr);
  mlir::FailureOr<bool> evaluate(mlir::Operation *op, index::Pred pred);
  mlir::FailureOr<llvm::SmallVector<int64_t>> evaluate(mlir::Operation *op,
                                                       llvm::ArrayRef<index::Expr> exprs);
  std::optional<int64_t> lookUp(index::Expr symbol) const;
  llvm::SmallVector<HostValue> valuesOf(mlir::ValueRange operands) const;
  Tensor getTensor(mlir::Value value) const { return std::get<Tensor>(get(value)); }
  void copyShared();
  std::string nameOf(mlir::Operation *op);

  mlir::func::FuncOp program;
  const RunOptions &options;
  HostRun &run;
  llvm::DenseMap<mlir::Value, HostValue> values;
  llvm::StringMap<int64_t> symbols;
  /// The meta-parameters of the launch whose grid is being evaluated.
  llvm::StringMap<int64_t> metaValues;
  unsigned temporaries = 0;
};

} // namespace nereid::interpreter
