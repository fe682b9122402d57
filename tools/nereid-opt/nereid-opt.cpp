// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads, verifies, transforms and prints modules of our dialects: for tests and for looking into
// what the other tools do.
#include "RegisterDialects.h"

#include "analysis/ProofPass.h"

#include "autodiff/AutodiffPass.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"
#include "schedule/SchedulePass.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  nereid::registerNereidDialects(registry);
  mlir::registerCSEPass();
  mlir::registerCanonicalizerPass();
  nereid::analysis::registerProofPass();
  nereid::autodiff::registerAutodiffPass();
  nereid::schedule::registerSchedulePass();
  return mlir::asMainReturnCode(mlir::MlirOptMain(
      argc, argv, "reads, verifies and transforms Nereid's dialects\n", registry));
}
