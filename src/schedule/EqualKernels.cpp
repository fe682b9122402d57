// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "schedule/EqualKernels.h"

#include "host/HostOps.h"
#include "schedule/HostBuilder.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/OperationSupport.h"

using namespace mlir;

namespace nereid::schedule {

/// What a function is besides its name and its body: types, names of arguments, configurations.
static DictionaryAttr describe(func::FuncOp kernel) {
  NamedAttrList attributes(kernel->getAttrDictionary());
  attributes.erase(kernel.getSymNameAttrName());
  return attributes.getDictionary(kernel.getContext());
}

static bool areEqual(func::FuncOp a, func::FuncOp b) {
  return describe(a) == describe(b) &&
         OperationEquivalence::isRegionEquivalentTo(&a.getBody(), &b.getBody(),
                                                    OperationEquivalence::IgnoreLocations);
}

llvm::StringMap<std::string> mergeEqualKernels(ModuleOp module) {
  llvm::StringMap<std::string> merged;
  llvm::StringMap<func::FuncOp> kernels;
  for (func::FuncOp kernel : module.getOps<func::FuncOp>())
    kernels[kernel.getName()] = kernel;
  for (func::FuncOp kernel : llvm::make_early_inc_range(module.getOps<func::FuncOp>())) {
    auto [before, after] = kernel.getName().rsplit(contiguousArm);
    func::FuncOp general = kernels.lookup((before + after).str());
    if (after.empty() || !general || !areEqual(kernel, general))
      continue;
    merged[kernel.getName()] = general.getName().str();
    kernel.erase();
  }
  module.walk([&](host::LaunchOp launch) {
    if (auto found = merged.find(launch.getKernel()); found != merged.end())
      launch.setKernel(found->second);
  });
  return merged;
}

} // namespace nereid::schedule
