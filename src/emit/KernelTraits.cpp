// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emit/KernelTraits.h"

#include "tile/TileOps.h"
#include "tile/TileTypes.h"

using namespace mlir;

namespace nereid::emit {

bool holdsAssertions(func::FuncOp kernel) {
  return kernel.walk([](tile::AssertOp) { return WalkResult::interrupt(); }).wasInterrupted();
}

bool takesPrecision(func::FuncOp kernel) {
  return kernel
      .walk([](Operation *op) {
        auto dot = dyn_cast<tile::DotOp>(op);
        bool takes = isa<tile::Tf32Op, tile::HalfScaleOp>(op) ||
                     (dot && dot.getPrecision() == tile::Precision::Launched);
        return takes ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

bool opensGroup(func::FuncOp kernel, unsigned place) {
  auto isPointer = [&](unsigned at) { return isa<tile::PtrType>(kernel.getArgumentTypes()[at]); };
  return place > 0 && isPointer(place) != isPointer(place - 1);
}

} // namespace nereid::emit
