// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "index/NamedSums.h"
#include "index/Facts.h"

#include "gtest/gtest.h"

#include <random>

using namespace nereid::index;

namespace {

class NamedSums : public ::testing::Test {
protected:
  Context context;
  Expr m = context.symbol("M"), n = context.symbol("N");
  Expr a = context.symbol("A"), b = context.symbol("B");
  llvm::SmallVector<NamedSum> sums = {{m * 2 - 1, a}, {n * 3 + 1, b}};
};

TEST_F(NamedSums, AreFoundWhereNoSizeIsSolvedFor) {
  EXPECT_EQ(sumToName(m * n * 6 - n * 3), m * 2 - 1);
  EXPECT_EQ(sumToName(m - 1), Expr());
  EXPECT_EQ(sumToName(m * 4), Expr());
  EXPECT_EQ(sumToName(m * 4 - 2), m * 2 - 1);
}

TEST_F(NamedSums, AreFactors) {
  EXPECT_EQ(nameFactors((m * 2 - 1) * (n * 3 + 1) * m * 5, sums), a * b * m * 5);
  EXPECT_EQ(nameFactors((m * 2 - 1) * (m * 2 - 1), sums), a * a);
  EXPECT_EQ(nameFactors(m * 2, sums), m * 2);
  EXPECT_EQ(nameMultiples(m * 4 + 1, sums), a * 2 + 3);
}

/// Wherever the names have the values of their sums nothing changes.
TEST_F(NamedSums, KeepTheValue) {
  std::mt19937 random(1);
  auto number = [&] { return int64_t(random() % 9) - 4; };
  for (unsigned round = 0; round < 2000; ++round) {
    Expr expr = context.constant(1);
    for (unsigned factor = 0; factor < 3; ++factor)
      expr = expr * (m * number() + n * number() + m * n * number() + number());
    int64_t x = number(), y = number();
    llvm::DenseMap<Expr, int64_t> at{{m, x}, {n, y}, {a, 2 * x - 1}, {b, 3 * y + 1}};
    EXPECT_EQ(evaluate(expr, at), evaluate(nameFactors(expr, sums), at)) << expr.str();
    EXPECT_EQ(evaluate(expr, at), evaluate(nameMultiples(expr, sums), at)) << expr.str();
  }
}

TEST_F(NamedSums, FactsAboutSymbolsAreThoseThatReachThem) {
  Facts facts(context);
  facts.assume(ge(m, 3));
  facts.assume(ge(n - m, 0));
  facts.assume(ge(a, 5));
  Facts about = facts.about({n});
  EXPECT_TRUE(about.isTrue(ge(n, 3)));
  EXPECT_FALSE(about.isTrue(ge(a, 5)));
}

} // namespace
