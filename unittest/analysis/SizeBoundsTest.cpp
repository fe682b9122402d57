// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/SizeBounds.h"

#include "gtest/gtest.h"

#include <random>

using namespace nereid;
using namespace nereid::analysis;
using index::Expr;

namespace {
class SizeBoundsTest : public ::testing::Test {
protected:
  SizeBoundsTest() : facts(context) {
    for (Expr size : {M, N})
      facts.assume(index::ge(size, 1));
    facts.assume(index::ge(x, 0));
    facts.assume(index::lt(x, 4 * M * N));
  }

  Expr greatest(Expr expr) { return boundInSizes(expr, End::Greatest, facts); }
  Expr least(Expr expr) { return boundInSizes(expr, End::Least, facts); }

  index::Context context;
  Expr M = context.symbol("M"), N = context.symbol("N"), x = context.symbol("$x");
  index::Facts facts;
};
} // namespace

TEST_F(SizeBoundsTest, EndsOfDigits) {
  EXPECT_EQ(greatest(x), 4 * M * N - 1);
  EXPECT_EQ(greatest(index::floordiv(x, 4 * N)), M - 1);
  EXPECT_EQ(greatest(index::mod(x, N)), N - 1);
  EXPECT_EQ(greatest(N - index::mod(x, N)), N);
  EXPECT_EQ(least(N - index::mod(x, N)), context.constant(1));
  // Fours of M places, the last perhaps in part, with N between one and the next.
  Expr place = index::mod(x, M), fours = index::ceildiv(M, 4);
  EXPECT_EQ(greatest(N * index::floordiv(place, 4) + index::mod(place, 4)), N * fours - N + 3);
}

TEST_F(SizeBoundsTest, NothingWhereNothingIsKnown) {
  EXPECT_FALSE(greatest(context.symbol("$y")));
  EXPECT_FALSE(greatest(x * context.symbol("$y")));
  // The sign of the factor is not known.
  EXPECT_FALSE(greatest(x * context.symbol("K")));
  EXPECT_FALSE(greatest(index::mod(x, context.symbol("K"))));
}

/// Bounds hold at all points of small sizes.
TEST_F(SizeBoundsTest, RandomExpressionsLieWithin) {
  std::mt19937 random(5);
  auto pick = [&](auto... choices) {
    auto list = {choices...};
    return *(list.begin() + random() % list.size());
  };
  unsigned found = 0;
  for (unsigned round = 0; round < 300; ++round) {
    Expr expr = x;
    for (unsigned step = 0, steps = 1 + random() % 3; step < steps; ++step) {
      Expr divisor = pick(M, N, M * N, context.constant(3), index::ceildiv(N, 2));
      Expr part = random() % 2 ? index::floordiv(expr, divisor) : index::mod(expr, divisor);
      Expr factor = pick(M, N, context.constant(-2), context.constant(1), -N);
      expr = random() % 2 ? part : part * factor + index::mod(x, pick(M, N)) + pick(0, 1, -5);
    }
    Expr high = greatest(expr), low = least(expr);
    found += high && low;
    for (int64_t m = 1; m <= 4; ++m)
      for (int64_t n = 1; n <= 4; ++n)
        for (int64_t at = 0; at < 4 * m * n; ++at) {
          auto valueOf = [&](Expr symbol) -> std::optional<int64_t> {
            return symbol == M ? m : symbol == N ? n : at;
          };
          int64_t value = *index::evaluate(expr, valueOf);
          if (high) {
            EXPECT_LE(value, *index::evaluate(high, valueOf)) << expr.str();
          }
          if (low) {
            EXPECT_GE(value, *index::evaluate(low, valueOf)) << expr.str();
          }
        }
  }
  EXPECT_GT(found, 200U);
}
