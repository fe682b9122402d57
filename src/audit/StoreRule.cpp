// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "audit/StoreRule.h"

#include "tile/Instance.h"
#include "tile/TileOps.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace nereid::audit {

namespace {
/// On which axes of the grid values hang, a bit each.
class ProgramAxes {
public:
  explicit ProgramAxes(func::FuncOp kernel) {
    // What loops carry comes round again.
    for (bool isChanged = true; isChanged;) {
      isChanged = false;
      kernel.walk<WalkOrder::PreOrder>([&](Operation *op) { isChanged |= visit(op); });
    }
  }

  unsigned of(Value value) const { return value ? axes.lookup(value) : 0; }
  /// Of all conditions under which an operation is executed.
  unsigned ofPath(Operation *op) const {
    unsigned result = 0;
    for (; op; op = op->getParentOp()) {
      if (auto choice = dyn_cast_if_present<scf::IfOp>(op->getParentOp()))
        result |= of(choice.getCondition());
      if (auto loop = dyn_cast_if_present<scf::ForOp>(op->getParentOp()))
        result |= of(loop.getInductionVar());
    }
    return result;
  }

private:
  bool add(Value value, unsigned more) {
    unsigned &known = axes[value];
    bool isNew = (known | more) != known;
    known |= more;
    return isNew;
  }
  bool visit(Operation *op);

  DenseMap<Value, unsigned> axes;
};
} // namespace

bool ProgramAxes::visit(Operation *op) {
  unsigned sum = 0;
  if (auto id = dyn_cast<tile::ProgramIdOp>(op))
    sum = 1u << id.getAxis();
  for (Value operand : op->getOperands())
    sum |= of(operand);
  bool isChanged = false;
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    unsigned turns = of(loop.getLowerBound()) | of(loop.getUpperBound()) | of(loop.getStep());
    isChanged |= add(loop.getInductionVar(), turns);
    for (BlockArgument argument : loop.getRegionIterArgs()) {
      unsigned carried = of(loop.getTiedLoopInit(argument)->get()) |
                         of(loop.getTiedLoopYieldedValue(argument)->get());
      isChanged |= add(argument, carried | turns);
      isChanged |= add(loop.getTiedLoopResult(argument), carried | turns);
    }
    return isChanged;
  }
  if (auto choice = dyn_cast<scf::IfOp>(op)) {
    for (Region *region : {&choice.getThenRegion(), &choice.getElseRegion()})
      if (!region->empty())
        for (auto [result, value] :
             llvm::zip(choice.getResults(), region->front().getTerminator()->getOperands()))
          isChanged |= add(result, sum | of(value));
    return isChanged;
  }
  // Of other regions nothing is followed: their results hang on all that they are given.
  for (Value result : op->getResults())
    isChanged |= add(result, sum);
  return isChanged;
}

/// Whether the launches that are known have more than one program along the axis.
static bool mayBeMany(const KernelLaunches &launches, unsigned axis) {
  return launches.launches.empty() ||
         llvm::any_of(launches.launches, [&](const FoundLaunch &found) {
           const auto &grid = found.launch.grid;
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
  ProgramAxes axes(kernel);
  kernel.walk([&](tile::StoreOp store) {
    unsigned placed = axes.of(store.getPtr()) | axes.of(store.getMask()) | axes.ofPath(store);
    unsigned missing = axes.of(store.getValue()) & ~placed;
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
