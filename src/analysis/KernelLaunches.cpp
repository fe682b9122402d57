// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/KernelLaunches.h"
#include "analysis/LaneValues.h"

#include "sym/SymDialect.h"
#include "tile/Instance.h"
#include "tile/TileOps.h"
#include "tile/TileTypes.h"

#include "llvm/ADT/DenseSet.h"

using namespace mlir;

namespace nereid::analysis {

/// Blocks that follow from sizes keep the numbers of the kernel at hand; the contract has their
/// expressions.
static tile::ConfigAttr completed(tile::ConfigAttr config, func::FuncOp kernel) {
  MLIRContext *context = kernel.getContext();
  NamedAttrList values(config.getValues());
  kernel.walk([&](Operation *op) {
    if (auto flag = dyn_cast<tile::MetaOp>(op);
        flag && flag.getType().isInteger(1) && !values.get(flag.getName()))
      values.set(flag.getName(), IntegerAttr::get(IntegerType::get(context, 64), 1));
    for (Type type : op->getResultTypes())
      for (auto [axis, extent] : llvm::enumerate(tile::getShape(type))) {
        StringRef name = tile::getDimName(type, axis);
        if (llvm::is_contained(tile::getMetaNames(kernel), name) && !values.get(name))
          values.set(name, IntegerAttr::get(IntegerType::get(context, 64), extent));
      }
  });
  return tile::ConfigAttr::get(context, values.getDictionary(context), config.getNumWarps(),
                               config.getNumStages());
}

/// The configurations of a kernel. Those that differ in warps and stages alone are one to a proof.
static llvm::SmallVector<tile::ConfigAttr> configsOf(func::FuncOp kernel) {
  llvm::SmallVector<tile::ConfigAttr> result;
  llvm::DenseSet<Attribute> values;
  if (auto configs = kernel->getAttrOfType<ArrayAttr>(tile::configsAttrName))
    for (auto config : configs.getAsRange<tile::ConfigAttr>())
      if (values.insert(config.getValues()).second)
        result.push_back(config);
  if (result.empty())
    result.push_back(tile::getConfig(kernel, {}));
  return result;
}

FailureOr<OwningOpRef<func::FuncOp>> LaunchedKernel::instantiate() const {
  return tile::cloneInstance(kernel, config);
}

void forEachLaunch(ModuleOp module, VisitLaunches visit) {
  module.walk([&](host::LaunchOp launch) {
    auto kernel = module.lookupSymbol<func::FuncOp>(launch.getKernel());
    llvm::SmallVector<tile::ConfigAttr> configs = configsOf(kernel);
    std::vector<LaunchedKernel> launched;
    for (auto [config, contract] : llvm::zip_equal(configs, contractsOf(launch, configs)))
      launched.push_back({kernel, completed(config, kernel), std::move(contract)});
    visit(launched, [&](ArrayRef<unsigned> members) -> std::optional<LaunchedKernel> {
      llvm::SmallVector<tile::ConfigAttr> some;
      for (unsigned member : members)
        some.push_back(configs[member]);
      auto contract = sharedContractOf(launch, some);
      if (!contract)
        return std::nullopt;
      return LaunchedKernel{kernel, launched[members.front()].config, std::move(*contract)};
    });
  });
}

void forEachLaunch(ModuleOp module, VisitLaunch visit) {
  forEachLaunch(module, [&](ArrayRef<LaunchedKernel> launched, ShareLaunches) {
    llvm::for_each(launched, visit);
  });
}

void forEachUnlaunched(ModuleOp module, VisitLaunch visit) {
  llvm::DenseSet<Operation *> launched;
  module.walk([&](host::LaunchOp launch) {
    launched.insert(module.lookupSymbol<func::FuncOp>(launch.getKernel()));
  });
  for (auto kernel : module.getOps<func::FuncOp>())
    if (kernel->hasAttr(tile::kernelAttrName) && !launched.contains(kernel))
      for (tile::ConfigAttr config : configsOf(kernel))
        visit({kernel, completed(config, kernel), openContractOf(kernel)});
}

LaunchContract openContractOf(func::FuncOp kernel) {
  LaunchContract contract(sym::SymDialect::getIndexContext(kernel.getContext()));
  contract.isOpen = true;
  index::Context &context = contract.getContext();
  for (auto [position, type] : llvm::enumerate(kernel.getArgumentTypes())) {
    ArgumentContract &argument = contract.arguments.emplace_back();
    std::string name = tile::getArgumentName(kernel, position);
    if (isa<tile::PtrType>(type)) {
      argument.isTensor = true;
      argument.sizes.push_back(context.symbol("numel(" + name + ")"));
      argument.strides.push_back(context.constant(1));
      contract.facts.assume(index::ge(argument.sizes[0], 0));
    } else if (type.isInteger() && !type.isInteger(1)) {
      argument.value = context.symbol(name);
      contract.facts.setRange(argument.value, signedRange(type));
    }
  }
  // A grid has as many axes as the kernel asks for.
  unsigned axes = 1;
  kernel.walk([&](Operation *op) {
    if (auto id = dyn_cast<tile::ProgramIdOp>(op))
      axes = std::max<unsigned>(axes, id.getAxis() + 1);
    if (auto count = dyn_cast<tile::NumProgramsOp>(op))
      axes = std::max<unsigned>(axes, count.getAxis() + 1);
  });
  for (unsigned axis = 0; axis < axes; ++axis)
    contract.grid.push_back(context.symbol("num_programs(" + std::to_string(axis) + ")"));
  return contract;
}

} // namespace nereid::analysis
