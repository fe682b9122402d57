// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emit/ScaleLaunches.h"

#include "host/Needs.h"
#include "tile/TileOps.h"

using namespace mlir;

namespace nereid::emit {

static func::FuncOp getKernel(host::LaunchOp op) {
  return SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(op, op.getKernelAttr());
}

/// Whether a value that was loaded becomes a scale wherever it is used.
static bool becomesScale(Value value) {
  return llvm::all_of(value.getUsers(), [](Operation *user) {
    bool isShape = isa<tile::SplatOp, tile::BroadcastOp, tile::ExpandDimsOp, tile::RelabelOp>(user);
    return isa<tile::HalfScaleOp>(user) || (isShape && becomesScale(user->getResult(0)));
  });
}

/// Whether a kernel reads what a pointer leads to for scales alone.
static bool isReadForScales(Value pointer) {
  return llvm::all_of(pointer.getUsers(), [&](Operation *user) {
    if (auto load = dyn_cast<tile::LoadOp>(user))
      return load.getPtr() == pointer && becomesScale(load.getResult());
    bool isAddress =
        isa<tile::AddPtrOp, tile::SplatOp, tile::BroadcastOp, tile::ExpandDimsOp, tile::RelabelOp>(
            user);
    return isAddress && isReadForScales(user->getResult(0));
  });
}

/// Whether all that a launch makes becomes scales, if what those in `asked` make does: several may
/// write to one tensor. `isScale` is set where a scale is met: what nobody reads is none.
static bool findsScalesAlone(host::LaunchOp launch, llvm::SmallPtrSetImpl<Operation *> &asked,
                             bool &isScale) {
  if (!asked.insert(launch).second)
    return true;
  func::FuncOp kernel = getKernel(launch);
  llvm::SmallSetVector<unsigned, 2> written;
  bool isPlain = true;
  kernel.walk([&](Operation *op) {
    if (auto store = dyn_cast<tile::StoreOp>(op)) {
      BlockArgument base = host::getBase(store.getPtr(), kernel);
      isPlain &= bool(base);
      if (base)
        written.insert(base.getArgNumber());
    }
    isPlain &= !isa<tile::AtomicRmwOp, tile::AtomicCasOp>(op);
  });
  if (!isPlain || written.empty())
    return false;
  return llvm::all_of(written, [&](unsigned place) {
    Value memory = launch.getArguments()[place];
    if (!memory.getDefiningOp<host::EmptyOp>())
      return false;
    return llvm::all_of(memory.getUses(), [&](OpOperand &use) {
      auto reader = dyn_cast<host::LaunchOp>(use.getOwner());
      if (!reader)
        return false;
      func::FuncOp its = getKernel(reader);
      for (auto [number, argument] : llvm::enumerate(reader.getArguments())) {
        if (argument != memory)
          continue;
        BlockArgument pointer = its.getArgument(number);
        if (isReadForScales(pointer))
          isScale |= !pointer.use_empty();
        else if (!findsScalesAlone(reader, asked, isScale))
          return false;
      }
      return true;
    });
  });
}

bool findsScalesAlone(host::LaunchOp launch) {
  llvm::SmallPtrSet<Operation *, 4> asked;
  bool isScale = false;
  return findsScalesAlone(launch, asked, isScale) && isScale;
}

} // namespace nereid::emit
