// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "index/Storage.h"

#include <bit>

namespace nereid::index {

std::optional<int64_t> checkedAdd(int64_t a, int64_t b) {
  int64_t result;
  if (__builtin_add_overflow(a, b, &result))
    return std::nullopt;
  return result;
}

std::optional<int64_t> checkedMultiply(int64_t a, int64_t b) {
  int64_t result;
  if (__builtin_mul_overflow(a, b, &result))
    return std::nullopt;
  return result;
}

int64_t greatestCommonDivisor(int64_t a, int64_t b) {
  auto magnitude = [](int64_t x) { return x < 0 ? uint64_t(0) - uint64_t(x) : uint64_t(x); };
  uint64_t x = magnitude(a), y = magnitude(b);
  while (y) {
    uint64_t r = x % y;
    x = y;
    y = r;
  }
  // 2^63 has no positive int64; a smaller common divisor is as right and needs no special case.
  return x > uint64_t(INT64_MAX) ? int64_t(1) << 62 : int64_t(x);
}

std::optional<int64_t> floorDivide(int64_t a, int64_t b) {
  if (b == 0 || (a == INT64_MIN && b == -1))
    return std::nullopt;
  int64_t quotient = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

std::optional<int64_t> floorModulo(int64_t a, int64_t b) {
  if (b == 0)
    return std::nullopt;
  if (b == -1)
    return 0;
  int64_t rest = a % b;
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

std::optional<int64_t> nextPowerOfTwo(int64_t a) {
  if (a <= 0)
    return 0;
  if (a > int64_t(1) << 62)
    return std::nullopt;
  return int64_t(std::bit_ceil(uint64_t(a)));
}

using Value = std::optional<int64_t>;

static Value evaluateProduct(Expr expr, SymbolValue valueOf) {
  int64_t result = 1;
  for (Factor factor : expr.getFactors()) {
    Value atom = evaluate(factor.atom, valueOf);
    if (!atom)
      return std::nullopt;
    for (unsigned i = 0; i < factor.power; ++i) {
      Value next = checkedMultiply(result, *atom);
      if (!next)
        return std::nullopt;
      result = *next;
    }
  }
  return result;
}

static Value evaluateSum(Expr expr, SymbolValue valueOf) {
  int64_t result = expr.getConstantTerm();
  for (Term term : expr.getNode()->terms) {
    Value monomial = evaluate(term.monomial, valueOf);
    Value part = monomial ? checkedMultiply(*monomial, term.coefficient) : std::nullopt;
    Value next = part ? checkedAdd(result, *part) : std::nullopt;
    if (!next)
      return std::nullopt;
    result = *next;
  }
  return result;
}

std::optional<int64_t> evaluate(Expr expr, SymbolValue valueOf) {
  switch (expr.getKind()) {
  case ExprKind::Constant:
    return expr.getConstant();
  case ExprKind::Symbol:
    return valueOf(expr);
  case ExprKind::Product:
    return evaluateProduct(expr, valueOf);
  case ExprKind::Sum:
    return evaluateSum(expr, valueOf);
  default:
    break;
  }
  Value result;
  for (auto [position, operand] : llvm::enumerate(expr.getOperands())) {
    Value value = evaluate(operand, valueOf);
    if (!value)
      return std::nullopt;
    if (expr.getKind() == ExprKind::NextPow2)
      return nextPowerOfTwo(*value);
    if (position == 0)
      result = value;
    else if (expr.getKind() == ExprKind::FloorDiv)
      result = floorDivide(*result, *value);
    else if (expr.getKind() == ExprKind::Mod)
      result = floorModulo(*result, *value);
    else if (expr.getKind() == ExprKind::Min)
      result = std::min(*result, *value);
    else
      result = std::max(*result, *value);
  }
  return result;
}

std::optional<int64_t> evaluate(Expr expr, const llvm::DenseMap<Expr, int64_t> &values) {
  return evaluate(expr, [&](Expr symbol) -> Value {
    auto found = values.find(symbol);
    return found == values.end() ? Value() : Value(found->second);
  });
}

} // namespace nereid::index
