// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tile/transforms/HeldAcrossFolds.h"

#include "tile/TileOps.h"

using namespace mlir;

namespace nereid::tile {

/// The bits of an element, where the value is a tile of floating-point numbers.
static int64_t countBits(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && isa<FloatType>(type.getElementType()) ? type.getElementTypeBitWidth() : 0;
}

/// The last operation of `block` in which the value is used, or null.
static Operation *findLastUse(Value value, Block &block) {
  Operation *last = nullptr;
  for (Operation *user : value.getUsers()) {
    Operation *here = block.findAncestorOpInBlock(*user);
    if (here && (!last || last->isBeforeInBlock(here)))
      last = here;
  }
  return last;
}

int64_t bitsHeldAcrossFolds(Block &block) {
  // Each value adds its bits where it is made, and takes them away at its last use.
  int64_t held = 0, most = 0;
  llvm::DenseMap<Operation *, int64_t> released;
  for (Operation &op : block) {
    held -= released.lookup(&op);
    if (isa<tile::ReduceOp, tile::ScanOp>(op))
      most = std::max(most, held);
    for (Value result : op.getResults())
      if (Operation *last = countBits(result) ? findLastUse(result, block) : nullptr) {
        held += countBits(result);
        released[last] += countBits(result);
      }
  }
  return most;
}

} // namespace nereid::tile
