// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shows that functions which change are what they were. The kernels that they are part of are
// compiled with the old and the new text at the same signatures, as many as it takes to reach every
// place that changes, and the two must be one computation.
#pragma once

#include "audit/KernelTree.h"
#include "upgrade/Changes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace nereid::upgrade {

/// A function that the version asks something of.
struct Unit {
  Unit(FileNames &names, const audit::KernelTree::Entry &entry)
      : entry(entry), text(names, *entry.def) {}

  /// Of its name.
  SourceLocation place() const;
  void fail(Diagnostic reason) { reasons.push_back(std::move(reason)); }
  bool isCovered() const { return covered.size() == calls().size(); }
  llvm::DenseSet<const python::Call *> calls() const {
    return {changes.calls.begin(), changes.calls.end()};
  }
  std::string describeProof() const;
  void forget();

  const audit::KernelTree::Entry &entry;
  FunctionText text;
  Changes changes;
  /// Why it stays; empty when it is upgraded.
  std::vector<Diagnostic> reasons;
  llvm::DenseSet<const python::Call *> covered;
  unsigned sameAt = 0; // signatures
  /// Why no kernel that calls it compiles as it was.
  std::optional<Diagnostic> before;
};

class Prover {
public:
  Prover(audit::KernelTree &tree, llvm::ArrayRef<std::unique_ptr<Unit>> units, double seconds);

  void run();

private:
  using Module = mlir::OwningOpRef<mlir::ModuleOp>;

  /// The functions that change which a function is or calls.
  std::vector<Unit *> findUnits(triton::JitFunction &function);
  void prove(const audit::KernelTree::Entry &entry);
  bool prove(const audit::KernelTree::Entry &entry, const audit::Attempt &attempt,
             llvm::ArrayRef<Unit *> parts);
  void show(const audit::KernelTree::Entry &entry, llvm::ArrayRef<Unit *> hit, Module before,
            Module after);
  Module import(triton::JitFunction &function, const audit::Attempt &attempt, bool revised,
                Diagnostics &diagnostics);

  audit::KernelTree &tree;
  llvm::ArrayRef<std::unique_ptr<Unit>> units;
  double seconds;
  double spent = 0;
  mlir::MLIRContext context;
};

} // namespace nereid::upgrade
