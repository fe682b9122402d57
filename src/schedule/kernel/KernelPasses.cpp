// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The passes of a kernel's nest, one after the other: what each folds and stores.
#include "schedule/kernel/KernelScope.h"

#include "schedule/nest/LoopNest.h"

using namespace mlir;

namespace nereid::schedule {

/// Folds come first, in their order, so that what they read is padded for them.
void KernelBuilder::makeFolds(const Pass &pass) {
  for (const FoldPlan *fold : pass.folds)
    request(*fold->value, fold->at, index::truth(context, true));
}

/// A loop that folds and stores; where the folds are made already, one that stores.
void KernelBuilder::foldAndStore(const Pass &pass) {
  storing = &pass;
  makeFolds(pass);
  if (std::exchange(storing, nullptr))
    storeOutputs(pass);
}

/// What is written may be read for another output: all are made before the first is stored.
void KernelBuilder::makeOverwritten() {
  bool overwrites = llvm::any_of(
      kernel.outputs, [](const KernelOutput &output) { return output.value->memory != nullptr; });
  if (overwrites && kernel.outputs.size() > 1)
    for (const KernelOutput &output : kernel.outputs)
      request(*output.value, output.at, index::truth(context, true));
}

void KernelBuilder::storeOutputs(const Pass &pass) {
  if (pass.isScan())
    return storeScanInLoop(*pass.outputs.front());
  Location loc = program.func.getLoc();
  scf::ForOp loop;
  if (pass.columns)
    loop = openLoop(*pass.columns, {}, loc);
  for (const KernelOutput *output : pass.outputs)
    store(*output);
  if (loop)
    (void)closeColumns(loop, {}, loc);
}

void KernelBuilder::makePasses() {
  LoopNest nest = nestOf(kernel, form, folds);
  bool hasStored = false;
  for (const Pass &pass : nest.passes) {
    if (pass.isOfTurns()) {
      makeTurns(pass);
    } else if (kernel.span != 0) {
      makeSpan(pass);
    } else if (!pass.folds.empty() && pass.columns && !pass.outputs.empty()) {
      foldAndStore(pass);
    } else {
      makeFolds(pass);
      if (pass.outputs.empty())
        continue;
      if (!std::exchange(hasStored, true))
        makeOverwritten();
      storeOutputs(pass);
    }
  }
}

} // namespace nereid::schedule
