// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "audit/MeetingLanes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include "llvm/ADT/SetVector.h"

using namespace llvm;

namespace nereid::audit {

/// What a value is made of, within the kernel, without what is loaded.
static llvm::SetVector<mlir::Operation *> madeOf(mlir::Value value) {
  llvm::SetVector<mlir::Operation *> made;
  auto add = [&](mlir::Value operand) {
    if (mlir::Operation *op = operand.getDefiningOp(); op && !isa<tile::LoadOp>(op))
      made.insert(op);
  };
  add(value);
  for (size_t next = 0; next < made.size(); ++next)
    for_each(made[next]->getOperands(), add);
  return made;
}

bool mayMeet(tile::StoreOp store) {
  namespace arith = mlir::arith;
  return any_of(madeOf(store.getPtr()), [](mlir::Operation *op) {
    if (!isa<arith::DivSIOp, arith::DivUIOp, arith::FloorDivSIOp, arith::RemSIOp, arith::RemUIOp,
             arith::ShRSIOp, arith::ShRUIOp, arith::AndIOp, arith::MinSIOp, arith::MinUIOp,
             arith::MaxSIOp, arith::MaxUIOp>(op))
      return false;
    return any_of(madeOf(op->getOperand(0)),
                  [](mlir::Operation *part) { return isa<tile::RangeOp>(part); });
  });
}

} // namespace nereid::audit
