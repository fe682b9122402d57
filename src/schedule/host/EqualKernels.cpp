// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "schedule/host/EqualKernels.h"

#include "host/HostOps.h"
#include "schedule/host/HostBuilder.h"
#include "schedule/nest/LoopNest.h"
#include "tile/TileDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/OperationSupport.h"
#include "llvm/ADT/Hashing.h"

#include <unordered_map>

using namespace mlir;

namespace nereid::schedule {

/// What a function is besides its body, its name and those of its arguments: types, configurations.
static DictionaryAttr describe(func::FuncOp kernel) {
  MLIRContext *context = kernel.getContext();
  NamedAttrList attributes(kernel->getAttrDictionary());
  for (llvm::StringRef name :
       {kernel.getSymNameAttrName().getValue(), kernel.getArgAttrsAttrName().getValue(),
        llvm::StringRef("tile.doc"), llvm::StringRef(nestAttrName)})
    attributes.erase(name);
  llvm::SmallVector<Attribute> arguments;
  for (unsigned place = 0; place < kernel.getNumArguments(); ++place) {
    NamedAttrList own(kernel.getArgAttrDict(place));
    own.erase(tile::nameAttrName);
    arguments.push_back(own.getDictionary(context));
  }
  attributes.set("arguments", ArrayAttr::get(context, arguments));
  return attributes.getDictionary(context);
}

/// The same for equal kernels: most others differ in it.
static llvm::hash_code hashOf(func::FuncOp kernel, DictionaryAttr description) {
  llvm::hash_code hash = hash_value(Attribute(description));
  kernel.getBody().walk([&](Operation *op) {
    hash = llvm::hash_combine(hash, op->getName(), op->getDiscardableAttrDictionary(),
                              op->getNumResults());
  });
  return hash;
}

namespace {
struct Described {
  func::FuncOp func;
  DictionaryAttr description;
};
} // namespace

static bool areEqual(Described a, Described b) {
  return a.description == b.description &&
         OperationEquivalence::isRegionEquivalentTo(&a.func.getBody(), &b.func.getBody(),
                                                    OperationEquivalence::IgnoreLocations);
}

llvm::StringMap<std::string> mergeEqualKernels(ModuleOp module) {
  std::vector<std::vector<Described>> classes;
  std::unordered_multimap<size_t, size_t> known;
  for (func::FuncOp func : module.getOps<func::FuncOp>()) {
    if (!func->hasAttr(tile::kernelAttrName))
      continue;
    Described kernel{func, describe(func)};
    size_t hash = hashOf(func, kernel.description);
    auto [begin, end] = known.equal_range(hash);
    auto same = std::find_if(
        begin, end, [&](auto &entry) { return areEqual(classes[entry.second].front(), kernel); });
    if (same != end) {
      classes[same->second].push_back(kernel);
      continue;
    }
    known.emplace(hash, classes.size());
    classes.push_back({kernel});
  }

  llvm::StringMap<std::string> merged;
  auto isGeneral = [](Described kernel) { return !kernel.func.getName().contains(contiguousArm); };
  for (std::vector<Described> &equal : classes) {
    auto found = llvm::find_if(equal, isGeneral);
    func::FuncOp kept = (found == equal.end() ? equal.front() : *found).func;
    if (kept != equal.front().func)
      kept->moveBefore(equal.front().func);
    for (Described &kernel : equal)
      if (kernel.func != kept)
        merged[kernel.func.getName()] = kept.getName().str();
    for (Described &kernel : equal)
      if (kernel.func != kept)
        kernel.func.erase();
  }
  module.walk([&](host::LaunchOp launch) {
    if (auto found = merged.find(launch.getKernel()); found != merged.end())
      launch.setKernel(found->second);
  });
  return merged;
}

} // namespace nereid::schedule
