// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "autodiff/Autodiff.h"

#include "autodiff/BackwardProgram.h"
#include "autodiff/Functions.h"
#include "autodiff/LoopGradient.h"
#include "autodiff/Roundings.h"
#include "autodiff/Rules.h"

using namespace mlir;

namespace nereid::autodiff {

LogicalResult addBackward(func::FuncOp program, const GradientOptions &options) {
  if (failed(applySavingFunctions(program)))
    return failure();
  stackStates(program);
  settleLoops(program);
  std::unique_ptr<Joint> joint = buildJoint(program, options);
  if (!joint)
    return failure();
  simplifyGradients(*joint);
  settleRoundings(*joint);
  FailureOr<std::vector<Saved>> saved = chooseSaved(*joint);
  if (failed(saved))
    return failure();
  std::string name = (program.getName() + "_backward").str();
  OwningOpRef<func::FuncOp> backward = writeBackward(*joint, *saved, name);
  if (!backward)
    return failure();
  writeForward(*joint, *saved, name);
  program->getBlock()->getOperations().insertAfter(Block::iterator(program), backward.release());
  return success();
}

LogicalResult addBackwards(ModuleOp module, const GradientOptions &options) {
  for (auto program : llvm::make_early_inc_range(module.getOps<func::FuncOp>()))
    if (program->hasAttr("graph.program") && !program->hasAttr("graph.gradient_of") &&
        !program->hasAttr("graph.function") && failed(addBackward(program, options)))
      return failure();
  return success();
}

std::string listWithoutGradient() {
  std::string text;
  for (ArrayRef<RuleEntry> family : {pointwiseRules(), viewRules(), foldRules(), scatterRules()})
    for (const RuleEntry &entry : family)
      if (!entry.rule)
        text += (entry.name + ": " + entry.reason + "\n").str();
  return text;
}

} // namespace nereid::autodiff
