// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/AddressSlice.h"

#include "tile/TileOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Iterators.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;

namespace nereid::analysis {

namespace {

/// The values that some accesses hang on.
class Slice {
public:
  /// False where they hang on what is not followed.
  bool add(Operation *access) {
    auto load = dyn_cast<tile::LoadOp>(access);
    auto store = dyn_cast<tile::StoreOp>(access);
    if (!load && !store)
      return false;
    add(load ? load.getPtr() : store.getPtr());
    if (Value mask = load ? load.getMask() : store.getMask())
      add(mask);
    // What a load gives where its mask is off.
    if (load && load.getOther())
      add(load.getOther());
    return addAround(access) && run();
  }

  bool contains(Value value) const { return values.contains(value); }

private:
  void add(Value value) {
    if (values.insert(value).second)
      open.push_back(value);
  }

  /// Whether and how often an operation is executed.
  bool addAround(Operation *op) {
    for (Operation *around = op->getParentOp(); !isa<func::FuncOp>(around);
         around = around->getParentOp()) {
      if (auto loop = dyn_cast<scf::ForOp>(around)) {
        for (Value bound : {loop.getLowerBound(), loop.getUpperBound(), loop.getStep()})
          add(bound);
      } else if (auto branch = dyn_cast<scf::IfOp>(around)) {
        add(branch.getCondition());
      } else {
        return false;
      }
    }
    return true;
  }

  void addCarried(scf::ForOp loop, unsigned index) {
    add(loop.getInitArgs()[index]);
    add(loop.getRegionIterArgs()[index]);
    add(loop.getYieldedValues()[index]);
    add(loop.getResult(index));
  }

  bool addArgument(BlockArgument argument) {
    Operation *owner = argument.getOwner()->getParentOp();
    if (isa<func::FuncOp>(owner))
      return true;
    auto loop = dyn_cast<scf::ForOp>(owner);
    if (!loop || !addAround(&loop.getBody()->front()))
      return false;
    if (argument != loop.getInductionVar())
      addCarried(loop, argument.getArgNumber() - 1);
    return true;
  }

  bool addResult(OpResult result) {
    Operation *op = result.getOwner();
    unsigned index = result.getResultNumber();
    if (!addAround(op))
      return false;
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      addCarried(loop, index);
      return addAround(&loop.getBody()->front());
    }
    if (auto branch = dyn_cast<scf::IfOp>(op)) {
      add(branch.getCondition());
      add(branch.thenYield().getOperand(index));
      add(branch.elseYield().getOperand(index));
      return true;
    }
    if (!isMemoryEffectFree(op))
      return false;
    for (Value operand : op->getOperands())
      add(operand);
    SetVector<Value> captured;
    getUsedValuesDefinedAbove(op->getRegions(), captured);
    for (Value value : captured)
      add(value);
    return true;
  }

  bool run() {
    while (!open.empty()) {
      Value value = open.pop_back_val();
      auto argument = dyn_cast<BlockArgument>(value);
      if (argument ? !addArgument(argument) : !addResult(cast<OpResult>(value)))
        return false;
    }
    return true;
  }

  llvm::DenseSet<Value> values;
  llvm::SmallVector<Value> open;
};

} // namespace

/// What a loop carries that the slice does not hang on stays as it was, so that nothing is left to
/// compute it for.
static void stopCarrying(scf::ForOp loop, const Slice &slice) {
  Operation *yield = loop.getBody()->getTerminator();
  for (auto [index, argument] : llvm::enumerate(loop.getRegionIterArgs()))
    if (!slice.contains(argument))
      yield->setOperand(index, argument);
}

void cutToAddresses(func::FuncOp kernel, ArrayRef<Operation *> accesses) {
  bool hasAtomics = false;
  kernel.walk([&](Operation *op) { hasAtomics |= isa<tile::AtomicRmwOp, tile::AtomicCasOp>(op); });
  Slice slice;
  if (hasAtomics || !llvm::all_of(accesses, [&](Operation *access) { return slice.add(access); }))
    return;
  kernel.walk<WalkOrder::PostOrder>([&](Operation *op) {
    if (auto loop = dyn_cast<scf::ForOp>(op))
      stopCarrying(loop, slice);
    auto store = dyn_cast<tile::StoreOp>(op);
    if (store && !llvm::is_contained(accesses, op)) {
      store.erase();
    } else if (store) {
      OpBuilder builder(op);
      if (TypedAttr zero = builder.getZeroAttr(store.getValue().getType()))
        store.getValueMutable().assign(arith::ConstantOp::create(builder, op->getLoc(), zero));
    }
  });
  // Backwards, so that operations come behind those that use them.
  bool isChanged = true;
  while (isChanged) {
    isChanged = false;
    kernel.walk<WalkOrder::PostOrder, ReverseIterator>([&](Operation *op) {
      bool isAround = llvm::any_of(accesses, [&](auto *access) { return op->isAncestor(access); });
      if (isAround || !isOpTriviallyDead(op))
        return;
      op->erase();
      isChanged = true;
    });
  }
}

} // namespace nereid::analysis
