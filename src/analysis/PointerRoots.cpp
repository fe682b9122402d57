// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/PointerRoots.h"

#include "analysis/Access.h"

#include "tile/TileOps.h"
#include "tile/TileTypes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace nereid::analysis {

namespace {
class RootSearch {
public:
  void add(Value pointer);
  llvm::SmallVector<unsigned, 1> take();

private:
  void addArgument(BlockArgument argument);
  void addResult(OpResult result);
  void addAround(Operation *op);
  void addAll(func::FuncOp kernel);

  llvm::DenseSet<Value> seen;
  llvm::SmallVector<unsigned, 1> roots;
};
} // namespace

static bool isPointer(Value value) {
  return isa<tile::PtrType>(tile::getElementType(value.getType()));
}

void RootSearch::addAll(func::FuncOp kernel) {
  for (BlockArgument argument : kernel.getArguments())
    if (isPointer(argument))
      roots.push_back(argument.getArgNumber());
}

/// Values that a region starts with come from around it, or from the end of another one.
void RootSearch::addArgument(BlockArgument argument) {
  Operation *around = argument.getOwner()->getParentOp();
  if (auto kernel = dyn_cast<func::FuncOp>(around)) {
    roots.push_back(argument.getArgNumber());
    return;
  }
  addAround(around);
}

/// Whatever pointers an operation is given, and its regions end with.
void RootSearch::addAround(Operation *op) {
  auto addPointers = [&](ValueRange values) {
    for (Value value : values)
      if (isPointer(value))
        add(value);
  };
  addPointers(op->getOperands());
  for (Region &region : op->getRegions())
    for (Block &block : region)
      addPointers(block.getTerminator()->getOperands());
}

void RootSearch::addResult(OpResult result) {
  Operation *op = result.getOwner();
  if (auto moved = dyn_cast<tile::AddPtrOp>(op))
    return add(moved.getPtr());
  // A table of pointers has any; so may a number be any.
  bool isMoved = llvm::any_of(op->getOperands(), isPointer) || op->getNumRegions() != 0;
  if (memoryOperandsOf(op).pointer || !isMoved)
    return addAll(op->getParentOfType<func::FuncOp>());
  addAround(op);
}

void RootSearch::add(Value pointer) {
  if (!seen.insert(pointer).second)
    return;
  if (auto argument = dyn_cast<BlockArgument>(pointer))
    addArgument(argument);
  else
    addResult(cast<OpResult>(pointer));
}

llvm::SmallVector<unsigned, 1> RootSearch::take() {
  llvm::sort(roots);
  roots.erase(llvm::unique(roots), roots.end());
  return std::move(roots);
}

llvm::SmallVector<unsigned, 1> findPointerRoots(Value pointer) {
  RootSearch search;
  search.add(pointer);
  return search.take();
}

} // namespace nereid::analysis
