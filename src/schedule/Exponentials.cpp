// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "schedule/Exponentials.h"

#include "tile/TileOps.h"
#include "tile/TileTypes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

#include <numbers>

using namespace mlir;

namespace nereid::schedule {

static bool isOneOrMore(Value value) {
  while (auto splat = value.getDefiningOp<tile::SplatOp>())
    value = splat->getOperand(0);
  llvm::APFloat number(0.0);
  return matchPattern(value, m_ConstantFloat(&number)) && number.convertToDouble() >= 1;
}

static bool addsOneOrMore(Operation *op, Value to) {
  auto add = dyn_cast<arith::AddFOp>(op);
  return add && isOneOrMore(add.getLhs() == to ? add.getRhs() : add.getLhs());
}

/// A number of the type of `like`, repeated when that is a tile.
static Value numberLike(OpBuilder &builder, Location loc, Value like, double number) {
  Type element = tile::getElementType(like.getType());
  Value scalar =
      arith::ConstantOp::create(builder, loc, builder.getFloatAttr(element, float(number)));
  return element == like.getType() ? scalar
                                   : tile::SplatOp::create(builder, loc, like.getType(), scalar);
}

void shortenExponentials(func::FuncOp func) {
  llvm::SmallVector<math::ExpOp> exponentials;
  func.walk([&](math::ExpOp op) { exponentials.push_back(op); });
  for (math::ExpOp op : exponentials) {
    Value result = op.getResult();
    bool isMarked = bitEnumContainsAll(op.getFastmath(), arith::FastMathFlags::afn);
    op.setFastmath(arith::FastMathFlags::none);
    bool isAdded = llvm::all_of(result.getUsers(),
                                [&](Operation *user) { return addsOneOrMore(user, result); });
    if (!tile::getElementType(result.getType()).isF32() || !(isMarked || isAdded))
      continue;
    OpBuilder builder(op);
    Value exponent = op.getOperand();
    double factor = std::numbers::log2e;
    if (auto negated = exponent.getDefiningOp<arith::NegFOp>()) {
      exponent = negated.getOperand();
      factor = -factor;
    }
    Value scaled = arith::MulFOp::create(builder, op.getLoc(), exponent,
                                         numberLike(builder, op.getLoc(), exponent, factor));
    result.replaceAllUsesWith(math::Exp2Op::create(builder, op.getLoc(), scaled));
    op.erase();
  }
}

} // namespace nereid::schedule
