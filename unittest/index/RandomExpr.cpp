// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "RandomExpr.h"

#include <algorithm>

namespace nereid::index::test {

using Number = std::optional<int64_t>;

ExprGenerator::ExprGenerator(Context &context, unsigned seed, unsigned count)
    : context(context), engine(seed) {
  static const char *const names[] = {"M", "N", "k", "x.y", "B"};
  for (unsigned i = 0; i < count; ++i)
    symbols.push_back(context.symbol(names[i]));
}

Values ExprGenerator::values(int64_t lo, int64_t hi) {
  Values result;
  for (size_t i = 0; i < symbols.size(); ++i)
    result.push_back(number(lo, hi));
  return result;
}

RandomExpr ExprGenerator::leaf() {
  if (number(0, 9) < 4) {
    static const int64_t common[] = {-4, -3, -2, -1, 0, 1, 2, 3, 4, 6, 8, 16};
    int64_t value = common[number(0, 11)];
    if (number(0, 199) == 0)
      value = number(0, 1) ? INT64_MAX - number(0, 2) : INT64_MIN + number(0, 2);
    return {context.constant(value), [value](const Values &) { return value; }};
  }
  size_t position = number(0, symbols.size() - 1);
  return {symbols[position], [position](const Values &values) { return values[position]; }};
}

/// Floor division in the plainest way: truncate, then step down if the product is too large.
static Number naiveFloor(__int128 a, __int128 b) {
  if (b == 0)
    return std::nullopt;
  __int128 quotient = a / b;
  if (quotient * b != a && (a < 0) != (b < 0))
    --quotient;
  if (quotient > INT64_MAX || quotient < INT64_MIN)
    return std::nullopt;
  return int64_t(quotient);
}

static Number fit(__int128 value) {
  if (value > INT64_MAX || value < INT64_MIN)
    return std::nullopt;
  return int64_t(value);
}

static Number naive(int kind, __int128 a, __int128 b) {
  switch (kind) {
  case 0:
    return fit(a + b);
  case 1:
    return fit(a - b);
  case 2:
    return fit(a * b);
  case 3:
    return naiveFloor(a, b);
  case 4: {
    Number quotient = naiveFloor(a, b);
    return quotient ? fit(a - b * *quotient) : std::nullopt;
  }
  case 5:
    return fit(std::min(a, b));
  case 6:
    return fit(std::max(a, b));
  default:
    return b < 1 ? std::nullopt : naiveFloor(a + b - 1, b);
  }
}

static Expr build(int kind, Expr a, Expr b) {
  switch (kind) {
  case 0:
    return a + b;
  case 1:
    return a - b;
  case 2:
    return a * b;
  case 3:
    return floordiv(a, b);
  case 4:
    return mod(a, b);
  case 5:
    return min(a, b);
  case 6:
    return max(a, b);
  default:
    return ceildiv(a, b);
  }
}

RandomExpr ExprGenerator::binary(unsigned depth) {
  int kind = number(0, 7);
  // Sums and products more often than the rest.
  if (number(0, 2) == 0)
    kind = number(0, 2);
  RandomExpr a = expr(depth - 1), b = expr(depth - 1);
  bool isDivision = kind == 3 || kind == 4 || kind == 7;
  if (isDivision && number(0, 2) != 0) {
    int64_t divisor = number(1, 8);
    b = {context.constant(divisor), [divisor](const Values &) { return divisor; }};
  }
  // ceildiv states that its divisor is a size.
  Number constant = b.expr.getConstant();
  if (kind == 7 && constant && *constant < 0)
    kind = 3;
  Oracle left = a.oracle, right = b.oracle;
  Oracle oracle = [=](const Values &values) -> Number {
    Number x = left(values), y = right(values);
    return x && y ? naive(kind, *x, *y) : std::nullopt;
  };
  return {build(kind, a.expr, b.expr), oracle};
}

RandomExpr ExprGenerator::expr(unsigned depth) {
  if (depth == 0 || number(0, 7) == 0)
    return leaf();
  if (number(0, 24) != 0)
    return binary(depth);
  RandomExpr inner = expr(depth - 1);
  Oracle oracle = [inner = inner.oracle](const Values &values) -> Number {
    Number value = inner(values);
    if (!value || *value > int64_t(1) << 62)
      return std::nullopt;
    int64_t power = *value <= 0 ? 0 : 1;
    while (power < *value)
      power *= 2;
    return power;
  };
  return {nextPow2(inner.expr), oracle};
}

static RandomPred comparison(RandomExpr a, RandomExpr b, int kind) {
  Pred pred = kind == 0   ? le(a.expr, b.expr)
              : kind == 1 ? lt(a.expr, b.expr)
              : kind == 2 ? eq(a.expr, b.expr)
              : kind == 3 ? ne(a.expr, b.expr)
                          : divisible(a.expr, b.expr);
  PredOracle oracle = [=](const Values &values) -> std::optional<bool> {
    Number x = a.oracle(values), y = b.oracle(values);
    if (!x || !y || (kind == 4 && *y == 0))
      return std::nullopt;
    return kind == 0   ? *x <= *y
           : kind == 1 ? *x < *y
           : kind == 2 ? *x == *y
           : kind == 3 ? *x != *y
                       : *y == -1 || *x % *y == 0;
  };
  return {pred, oracle};
}

RandomPred ExprGenerator::pred(unsigned depth) {
  int kind = depth == 0 ? 0 : number(0, 5);
  if (kind < 3) {
    RandomExpr left = expr(2), right = expr(number(0, 2));
    return comparison(left, right, number(0, 4));
  }
  RandomPred a = pred(depth - 1);
  if (kind == 3)
    return {notOf(a.pred), [inner = a.oracle](const Values &values) -> std::optional<bool> {
              std::optional<bool> value = inner(values);
              return value ? std::optional(!*value) : std::nullopt;
            }};
  RandomPred b = pred(depth - 1);
  bool isAnd = kind == 4;
  PredOracle oracle = [=](const Values &values) -> std::optional<bool> {
    std::optional<bool> x = a.oracle(values), y = b.oracle(values);
    if (x == !isAnd || y == !isAnd)
      return !isAnd;
    return x && y ? std::optional(isAnd) : std::nullopt;
  };
  return {isAnd ? a.pred & b.pred : a.pred | b.pred, oracle};
}

static auto lookup(llvm::ArrayRef<Expr> symbols, const Values &values) {
  return [=, &values](Expr symbol) -> Number {
    for (size_t i = 0; i < symbols.size(); ++i)
      if (symbols[i] == symbol)
        return values[i];
    return std::nullopt;
  };
}

std::optional<int64_t> valueOf(Expr expr, llvm::ArrayRef<Expr> symbols, const Values &values) {
  return evaluate(expr, lookup(symbols, values));
}

std::optional<bool> valueOf(Pred pred, llvm::ArrayRef<Expr> symbols, const Values &values) {
  return evaluate(pred, lookup(symbols, values));
}

} // namespace nereid::index::test
