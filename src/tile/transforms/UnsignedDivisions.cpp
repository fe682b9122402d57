// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tile/transforms/UnsignedDivisions.h"

#include "tile/TileOps.h"
#include "tile/TileTypes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace nereid::tile {

namespace {

/// Tells which integers count programs, lanes or turns of loops, or are made of those and nothing
/// that could be negative. That they fit into 32 bits is checked before the launch.
class Positions {
public:
  bool contains(Value value) {
    auto found = known.find(value);
    if (found != known.end())
      return found->second;
    bool result = find(value);
    known[value] = result;
    return result;
  }

private:
  bool find(Value value) {
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
      return loop && loop.getInductionVar() == argument && contains(loop.getLowerBound());
    }
    Operation *op = value.getDefiningOp();
    APInt number;
    if (matchPattern(value, m_ConstantInt(&number)))
      return number.isNonNegative();
    if (isa<tile::ProgramIdOp, tile::MetaOp, tile::RangeOp>(op))
      return true;
    // The divisor is a size.
    if (isa<tile::SplatOp, tile::BroadcastOp, tile::ExpandDimsOp, tile::RelabelOp, arith::ExtSIOp,
            arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp>(op))
      return contains(op->getOperand(0));
    return isa<arith::AddIOp, arith::MulIOp>(op) && contains(op->getOperand(0)) &&
           contains(op->getOperand(1));
  }

  llvm::DenseMap<Value, bool> known;
};

/// Whether a tile is an argument of the kernel, spread over its lanes.
bool isArgument(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<tile::SplatOp, tile::BroadcastOp, tile::ExpandDimsOp, tile::RelabelOp>(op))
      return false;
    value = op->getOperand(0);
  }
  return isa<func::FuncOp>(cast<BlockArgument>(value).getOwner()->getParentOp());
}

template <typename Signed, typename Unsigned> void replace(func::FuncOp func, Positions positions) {
  func.walk([&](Signed op) {
    if (isa<IntegerType>(op.getType()) || !tile::getElementType(op.getType()).isInteger(32) ||
        !isArgument(op.getRhs()) || !positions.contains(op.getLhs()))
      return;
    OpBuilder builder(op);
    op.replaceAllUsesWith(
        Unsigned::create(builder, op.getLoc(), op.getLhs(), op.getRhs()).getResult());
    op.erase();
  });
}

} // namespace

void divideUnsigned(func::FuncOp func) {
  replace<arith::DivSIOp, arith::DivUIOp>(func, Positions());
  replace<arith::RemSIOp, arith::RemUIOp>(func, Positions());
}

} // namespace nereid::tile
