// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "schedule/SchedulePass.h"

#include "schedule/Schedule.h"

#include "host/HostOps.h"
#include "mlir/Pass/PassRegistry.h"
#include "tile/TileOps.h"

namespace nereid::schedule {

namespace {

/// Replaces the graph programs of a module by the host programs and kernels of a stage.
class SchedulePass : public mlir::PassWrapper<SchedulePass, mlir::OperationPass<mlir::ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(SchedulePass)

  SchedulePass() = default;
  SchedulePass(const SchedulePass &other) : PassWrapper(other) {}

  llvm::StringRef getArgument() const override { return "schedule"; }
  llvm::StringRef getDescription() const override {
    return "turns graph programs into host programs and tile kernels";
  }
  void getDependentDialects(mlir::DialectRegistry &registry) const override {
    registry.insert<host::HostDialect, tile::TileDialect>();
  }

  void runOnOperation() override {
    ScheduleOptions options;
    options.stage = stage;
    options.device = device;
    auto scheduled = scheduleModule(getOperation(), options);
    if (failed(scheduled))
      return signalPassFailure();
    mlir::Block &body = *getOperation().getBody();
    body.clear();
    body.getOperations().splice(body.end(), (*scheduled)->getBody()->getOperations());
  }

private:
  Option<int> stage{*this, "stage", llvm::cl::desc("1: a kernel an operator; 2: fused"),
                    llvm::cl::init(2)};
  Option<std::string> device{*this, "device", llvm::cl::desc("whose table the cost model uses"),
                             llvm::cl::init("h200")};
};

} // namespace

void registerSchedulePass() { mlir::PassRegistration<SchedulePass>(); }

} // namespace nereid::schedule
