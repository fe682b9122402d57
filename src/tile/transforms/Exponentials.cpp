// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tile/transforms/Exponentials.h"

#include "tile/TileOps.h"
#include "tile/TileTypes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

#include <numbers>

using namespace mlir;

namespace nereid::tile {

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

/// A number of each row times a factor, repeated as before; null for other tiles.
static Value scaledRows(OpBuilder &builder, Value repeated, double factor) {
  auto broadcast = repeated.getDefiningOp<tile::BroadcastOp>();
  auto expand = broadcast ? broadcast->getOperand(0).getDefiningOp<tile::ExpandDimsOp>() : nullptr;
  if (!expand)
    return nullptr;
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(expand);
  Value rows = expand->getOperand(0);
  Value scaled = arith::MulFOp::create(builder, expand->getLoc(), rows,
                                       numberLike(builder, expand->getLoc(), rows, factor));
  IRMapping map;
  map.map(rows, scaled);
  map.map(expand->getResult(0), builder.clone(*expand, map)->getResult(0));
  return builder.clone(*broadcast, map)->getResult(0);
}

void shortenExponentials(func::FuncOp func) {
  llvm::SmallVector<math::ExpOp> exponentials;
  func.walk([&](math::ExpOp op) { exponentials.push_back(op); });
  for (math::ExpOp op : exponentials) {
    Value result = op.getResult();
    bool isMarked = bitEnumContainsAll(op.getFastmath(), arith::FastMathFlags::afn);
    bool mayDistribute = bitEnumContainsAll(op.getFastmath(), arith::FastMathFlags::contract);
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
    // `a * c - (b * c)` is one operation for each element where `b` is of rows.
    auto difference = exponent.getDefiningOp<arith::SubFOp>();
    Value shift =
        mayDistribute && difference ? scaledRows(builder, difference.getRhs(), factor) : Value();
    if (shift)
      exponent = difference.getLhs();
    Value scaled = arith::MulFOp::create(builder, op.getLoc(), exponent,
                                         numberLike(builder, op.getLoc(), exponent, factor));
    if (shift)
      scaled = arith::SubFOp::create(builder, op.getLoc(), scaled, shift);
    result.replaceAllUsesWith(math::Exp2Op::create(builder, op.getLoc(), scaled));
    op.erase();
  }
}

} // namespace nereid::tile
