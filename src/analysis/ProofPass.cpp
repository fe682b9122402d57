// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/ProofPass.h"

#include "analysis/AccessProofs.h"
#include "analysis/KernelLaunches.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;

namespace nereid::analysis {

namespace {

/// Remarks at each access whether it is inside its tensor, and at each store whether programs keep
/// apart. Changes nothing.
class ProofPass : public PassWrapper<ProofPass, OperationPass<ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ProofPass)

  StringRef getArgument() const override { return "prove-accesses"; }
  StringRef getDescription() const override {
    return "says of each memory access whether it is proved, refuted or unknown";
  }

  void runOnOperation() override {
    auto prove = [&](const LaunchedKernel &launched) {
      FailureOr<OwningOpRef<func::FuncOp>> instance = launched.instantiate();
      if (failed(instance))
        return signalPassFailure();
      for (const AccessVerdict &verdict : proveAccesses(**instance, launched.contract))
        report(verdict);
    };
    forEachLaunch(getOperation(), prove);
    forEachUnlaunched(getOperation(), prove);
    markAllAnalysesPreserved();
  }

private:
  static void report(const AccessVerdict &verdict) {
    InFlightDiagnostic remark = emitRemark(verdict.op->getLoc());
    switch (verdict.verdict) {
    case Verdict::Proved:
      remark << "PROVED";
      break;
    case Verdict::Counterexample:
      remark << "COUNTEREXAMPLE";
      break;
    case Verdict::Unknown:
      remark << "UNKNOWN";
      break;
    }
    remark << (verdict.property == Property::InBounds ? " in bounds" : " apart");
    if (verdict.verdict == Verdict::Proved)
      remark << " (tier " << verdict.tier << ")";
    else
      remark << ": " << verdict.reason;
  }
};

} // namespace

void registerProofPass() { PassRegistration<ProofPass>(); }

} // namespace nereid::analysis
