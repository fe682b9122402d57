// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emit/Widenings.h"

#include "emit/Names.h"
#include "tile/TileOps.h"
#include "tile/TileTypes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace nereid::emit {

static bool changesShapeOnly(Operation *op) {
  return isa<tile::SplatOp, tile::BroadcastOp, tile::RelabelOp, tile::ExpandDimsOp>(op);
}

bool Widenings::contains(Value value) const {
  Operation *op = value.getDefiningOp();
  return op && (implied.contains(op) || (changesShapeOnly(op) && contains(op->getOperand(0))));
}

/// Whether Triton takes a value as one of 64 bits: arguments are as wide as the number that a call
/// passes, and literals as their neighbour.
bool Widenings::isWide(Value value) const {
  Operation *op = value.getDefiningOp();
  if (!op)
    return false;
  if (changesShapeOnly(op))
    return isWide(op->getOperand(0));
  if (isa<arith::ExtSIOp>(op))
    return !implied.contains(op) && !isa<BlockArgument>(op->getOperand(0));
  if (isa<arith::AddIOp, arith::SubIOp, arith::MulIOp>(op))
    return isWide(op->getOperand(0)) || isWide(op->getOperand(1));
  return isa<tile::LoadOp>(op);
}

/// Whether a value is only added to what is wide without it.
bool Widenings::isImplied(Value widened) const {
  return llvm::all_of(widened.getUses(), [&](OpOperand &use) {
    Operation *user = use.getOwner();
    if (changesShapeOnly(user))
      return isImplied(user->getResult(0));
    return isa<arith::AddIOp, arith::SubIOp>(user) &&
           isWide(user->getOperand(1 - use.getOperandNumber()));
  });
}

Widenings::Widenings(Region &region) {
  // One after the other: of `x.to(tl.int64) + y.to(tl.int64)` one widening stays.
  region.walk([&](arith::ExtSIOp op) {
    bool isOwn = !getUserName(op.getLoc()).empty() || isa<BlockArgument>(op.getIn());
    if (!isOwn && tile::getElementType(op.getType()).isInteger(64) &&
        tile::getElementType(op.getIn().getType()).isInteger(32)) {
      // Nothing is wide by itself.
      implied.insert(op);
      if (op->use_empty() || !isImplied(op.getResult()))
        implied.erase(op);
    }
  });
}

} // namespace nereid::emit
