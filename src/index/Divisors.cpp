// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "index/Divisors.h"

namespace nereid::index {

std::optional<Multiple> readMultiple(Pred pred, llvm::function_ref<int64_t(Expr)> divisorOf) {
  if (pred.getKind() != PredKind::Divisible)
    return std::nullopt;
  std::optional<int64_t> divisor = pred.getDivisor().getConstant();
  if (!divisor || *divisor < 2)
    return std::nullopt;
  Expr size = pred.getExpr();
  if (size.getKind() == ExprKind::FloorDiv) {
    std::optional<int64_t> within = size.getOperands()[1].getConstant();
    size = size.getOperands()[0];
    int64_t both;
    if (!within || !size.isSymbol() || divisorOf(size) % *within != 0 ||
        llvm::MulOverflow(*within, *divisor, both))
      return std::nullopt;
    divisor = both;
  }
  return size.isSymbol() ? std::optional(Multiple{size, *divisor}) : std::nullopt;
}

} // namespace nereid::index
