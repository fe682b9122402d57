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
  if (kernel->hasAttr(anyNamesAttrName)) {
    attributes.erase("tile.doc");
    attributes.erase(kernel.getArgAttrsAttrName());
  }
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
  std::vector<func::FuncOp> ofAnyNames;
  for (func::FuncOp kernel : module.getOps<func::FuncOp>())
    kernels[kernel.getName()] = kernel;
  auto merge = [&](func::FuncOp kernel, func::FuncOp kept) {
    merged[kernel.getName()] = kept.getName().str();
    kernel.erase();
  };
  for (func::FuncOp kernel : llvm::make_early_inc_range(module.getOps<func::FuncOp>())) {
    if (kernel->hasAttr(anyNamesAttrName)) {
      auto same =
          llvm::find_if(ofAnyNames, [&](func::FuncOp other) { return areEqual(kernel, other); });
      if (same != ofAnyNames.end())
        merge(kernel, *same);
      else
        ofAnyNames.push_back(kernel);
      continue;
    }
    auto [before, after] = kernel.getName().rsplit(contiguousArm);
    func::FuncOp general = kernels.lookup((before + after).str());
    if (!after.empty() && general && areEqual(kernel, general))
      merge(kernel, general);
  }
  for (func::FuncOp kernel : ofAnyNames)
    kernel->removeAttr(anyNamesAttrName);
  module.walk([&](host::LaunchOp launch) {
    if (auto found = merged.find(launch.getKernel()); found != merged.end())
      launch.setKernel(found->second);
  });
  return merged;
}

} // namespace nereid::schedule
