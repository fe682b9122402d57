// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels and contracts given as text, for the tests of the analysis.
#pragma once

#include "analysis/AccessProofs.h"

#include "mlir/IR/OwningOpRef.h"

namespace nereid::analysis::test {

/// A module of one kernel and the contract under which it is launched.
class Launched {
public:
  /// `arguments`: one text each: `[M, N] x [N, 1]` for a tensor, an expression for an integer.
  Launched(mlir::MLIRContext &context, llvm::StringRef kernel,
           llvm::ArrayRef<std::string> arguments, llvm::ArrayRef<std::string> grid,
           llvm::StringRef facts);

  explicit operator bool() const { return bool(module); }
  mlir::func::FuncOp getKernel();
  const LaunchContract &getContract() const { return contract; }
  std::vector<AccessVerdict> prove() { return proveAccesses(getKernel(), contract); }

private:
  mlir::OwningOpRef<mlir::ModuleOp> module;
  LaunchContract contract;
};

/// One executed lane of a memory access, computed by plain execution of the operations.
struct ConcreteAccess {
  mlir::Operation *op;
  unsigned argument;
  std::vector<int64_t> program;
  int64_t offset;
};

using Sizes = llvm::DenseMap<index::Expr, int64_t>;

/// Runs every program and lane of the kernel and lists its accesses; nullopt when an index
/// expression of the launch has no value.
std::optional<std::vector<ConcreteAccess>> execute(Launched &launched, const Sizes &sizes);

/// Whether an element lies within the tensor behind an argument.
bool isWithin(const Launched &launched, const Sizes &sizes, unsigned argument, int64_t offset);

void loadDialects(mlir::MLIRContext &context);

} // namespace nereid::analysis::test
