// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "autodiff/AutodiffPass.h"

#include "autodiff/Autodiff.h"

#include "mlir/Pass/PassRegistry.h"

namespace nereid::autodiff {
namespace {

/// Gives every program of a module its backward program.
class AutodiffPass : public mlir::PassWrapper<AutodiffPass, mlir::OperationPass<mlir::ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(AutodiffPass)

  AutodiffPass() = default;
  AutodiffPass(const AutodiffPass &other) : PassWrapper(other) {}

  llvm::StringRef getArgument() const override { return "add-backward"; }
  llvm::StringRef getDescription() const override {
    return "adds the gradients of graph programs as programs of their own";
  }

  void runOnOperation() override {
    GradientOptions options;
    options.wanted.assign(wanted.begin(), wanted.end());
    if (mlir::failed(addBackwards(getOperation(), options)))
      signalPassFailure();
  }

private:
  ListOption<std::string> wanted{*this, "wanted", llvm::cl::desc("arguments that need a gradient")};
};

} // namespace

void registerAutodiffPass() { mlir::PassRegistration<AutodiffPass>(); }

} // namespace nereid::autodiff
