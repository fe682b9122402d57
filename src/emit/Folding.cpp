// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emit/Folding.h"

#include "emit/Names.h"
#include "tile/TileOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/CastInterfaces.h"

using namespace mlir;

namespace nereid::emit {

bool Folding::isTransparent(Operation *op) const {
  if (isa<arith::ConstantOp, tile::MetaOp, tile::SplatOp, tile::BroadcastOp, tile::RelabelOp>(op))
    return true;
  if (!getUserName(op->getLoc()).empty())
    return false;
  // Triton widens an argument beside a 64-bit operand by itself.
  if (isa<arith::ExtSIOp>(op) && isa<BlockArgument>(op->getOperand(0)))
    return isa<func::FuncOp>(op->getOperand(0).getParentBlock()->getParentOp());
  return isa<tile::ExpandDimsOp>(op) || isImplied(op);
}

llvm::SmallVector<Operation *> Folding::getUsers(Value value) const {
  llvm::SmallVector<Operation *> users;
  for (OpOperand &use : value.getUses()) {
    if (!isTransparent(use.getOwner())) {
      users.push_back(use.getOwner());
      continue;
    }
    llvm::SmallVector<Operation *> further = getUsers(use.getOwner()->getResult(0));
    users.append(further.begin(), further.end());
  }
  return users;
}

Operation *Folding::getRoot(Operation *op) const {
  for (auto found = into.find(op); found != into.end(); found = into.find(op))
    op = found->second;
  return op;
}

static bool writesMemory(Operation *op) {
  return !isMemoryEffectFree(op) &&
         (op->getNumRegions() != 0 || mlir::hasEffect<MemoryEffects::Write>(op));
}

/// Whether some operation strictly between two of one block may write memory.
static bool hasWriteBetween(Operation *first, Operation *last) {
  for (Operation *op = first->getNextNode(); op && op != last; op = op->getNextNode())
    if (writesMemory(op))
      return true;
  return false;
}

bool comparesWithItself(Operation *op) {
  if (isa<math::IsNaNOp>(op))
    return true;
  return isa<arith::CmpFOp>(op) && op->getOperand(0) == op->getOperand(1);
}

bool Folding::isExpanded(Value value) const {
  return llvm::any_of(value.getUsers(), [&](Operation *user) {
    return isa<tile::ExpandDimsOp>(user) ||
           ((isa<tile::RelabelOp>(user) || isImplied(user)) && isExpanded(user->getResult(0)));
  });
}

bool Folding::canFold(Operation *op) const {
  if (op->getNumResults() != 1 || op->getNumRegions() > 1 || writesMemory(op))
    return false;
  if (isa<scf::ForOp, scf::WhileOp, scf::IfOp>(op) || !getUserName(op->getLoc()).empty())
    return false;
  if (comparesWithItself(op))
    return false;
  // `mask[:, None]` reads better than `(rows < M)[:, None]`.
  if (isa<arith::ArithDialect>(op->getDialect()) && isExpanded(op->getResult(0)))
    return false;
  llvm::SmallVector<Operation *> users = getUsers(op->getResult(0));
  if (users.size() != 1 || users[0]->getBlock() != op->getBlock())
    return false;
  if (isMemoryEffectFree(op))
    return true;
  // What is read from memory is worth a name, but for a conversion on the way.
  return isa<CastOpInterface>(users[0]) && !hasWriteBetween(op, getRoot(users[0]));
}

void Folding::analyse(Region &region) {
  for (Block &block : region) {
    // Users first, so that the statement that a value would join is known.
    for (Operation &op : llvm::reverse(block)) {
      if (!isTransparent(&op) && canFold(&op)) {
        folded.insert(&op);
        into[&op] = getUsers(op.getResult(0)).front();
      }
      for (Region &inner : op.getRegions())
        analyse(inner);
    }
  }
}

bool Folding::isDeadAfter(Value value, Operation *op, bool allowInside) const {
  Block *block = op->getBlock();
  for (Operation *user : getUsers(value)) {
    Operation *root = getRoot(user);
    Operation *ancestor = block->findAncestorOpInBlock(*root);
    // A use in a loop around `op` comes again; such a value lies outside the block.
    if (!ancestor || (ancestor != op && op->isBeforeInBlock(ancestor)))
      return false;
    if (ancestor == op && ancestor != root && !allowInside)
      return false;
  }
  return true;
}

} // namespace nereid::emit
