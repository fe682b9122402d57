// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "audit/StoreRule.h"

#include "audit/Dependence.h"

#include "tile/Instance.h"
#include "tile/TileOps.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace nereid::audit {

bool mayBeMany(const KernelLaunches &launches, unsigned axis) {
  return launches.launches.empty() ||
         llvm::any_of(launches.launches, [&](const FoundLaunch &found) {
           const auto &grid = found.launch->grid;
           return axis < grid.size() ? !grid[axis].isConstant(1) : grid.empty();
         });
}

void findSharedStores(func::FuncOp kernel, const KernelLaunches &launches, RuleSite &site) {
  // Where other constants lead to atomics, these lead to one program: sums that are split.
  if (site.function.file->getText(*site.function.def).contains("atomic_"))
    return;
  // Locks and counters say whose turn it is.
  bool hasOrder = false;
  kernel.walk([&](Operation *op) {
    hasOrder |= isa<tile::AtomicCasOp, scf::WhileOp>(op);
    if (auto rmw = dyn_cast<tile::AtomicRmwOp>(op))
      hasOrder |= !rmw.getResult().use_empty();
  });
  if (hasOrder)
    return;
  Dependence axes(kernel);
  kernel.walk([&](tile::StoreOp store) {
    unsigned placed =
        axes.of(store.getPtr()) | axes.of(store.getMask()) | axes.ofPath(store, /*picks=*/true);
    unsigned missing = axes.of(store.getValue()) & ~placed & Dependence::Axes;
    for (unsigned axis = 0; axis < 3; ++axis) {
      if (!(missing & (1u << axis)) || !mayBeMany(launches, axis))
        continue;
      site.add("TRC021", Certainty::Likely, site.placeOf(store),
               "programs along axis " + std::to_string(axis) +
                   " of the grid store what hangs on their number to a place that does not",
               "put tl.program_id(" + std::to_string(axis) +
                   ") into the address, or use tl.atomic_add");
      return;
    }
  });
}

} // namespace nereid::audit
