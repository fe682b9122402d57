// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tile/transforms/ErrorFunctions.h"

#include "tile/TileOps.h"
#include "tile/TileTypes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace nereid::tile {

static bool isOne(Value value) {
  while (auto splat = value.getDefiningOp<tile::SplatOp>())
    value = splat->getOperand(0);
  return matchPattern(value, m_OneFloat());
}

static bool addsOne(Operation *op, Value to) {
  auto add = dyn_cast<arith::AddFOp>(op);
  return add && isOne(add.getLhs() == to ? add.getRhs() : add.getLhs());
}

void complementErrorFunctions(func::FuncOp func) {
  llvm::SmallVector<math::ErfOp> functions;
  func.walk([&](math::ErfOp op) { functions.push_back(op); });
  for (math::ErfOp op : functions) {
    Value erf = op.getResult();
    bool isShort = bitEnumContainsAll(op.getFastmath(), arith::FastMathFlags::afn);
    op.setFastmath(arith::FastMathFlags::none);
    if (!isShort || !tile::getElementType(erf.getType()).isF32() ||
        !llvm::all_of(erf.getUsers(), [&](Operation *user) { return addsOne(user, erf); }))
      continue;
    OpBuilder builder(op);
    auto negated = arith::NegFOp::create(builder, op.getLoc(), op.getOperand());
    auto complement =
        math::ErfcOp::create(builder, op.getLoc(), negated.getResult(), arith::FastMathFlags::afn);
    for (Operation *user : llvm::make_early_inc_range(erf.getUsers())) {
      user->getResult(0).replaceAllUsesWith(complement.getResult());
      user->erase();
    }
    op.erase();
  }
}

} // namespace nereid::tile
