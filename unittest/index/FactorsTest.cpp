// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "index/Factors.h"
#include "ReadExpr.h"

#include <random>

using namespace nereid::index;
using namespace nereid::index::test;

namespace {
class FactorsTest : public ReadExpr {
protected:
  std::string spell(const Factored &factored) {
    std::string text = std::to_string(factored.content);
    for (Expr expr : factored.factors)
      text += " * (" + expr.str() + ")";
    return text + " + " + std::to_string(factored.rest);
  }
  Expr valueOf(const Factored &factored) {
    Expr value = context.constant(factored.content);
    for (Expr expr : factored.factors)
      value = value * expr;
    return value + factored.rest;
  }
};
} // namespace

TEST_F(FactorsTest, ProductsOfSums) {
  EXPECT_EQ(factor(parse("B*(M + 1)*(N + 1)")).factors.size(), 3u);
  EXPECT_EQ(factor(parse("16*B*(2*M - 1)*(2*N - 1)*(K - 3)")).factors.size(), 4u);
  EXPECT_EQ(factor(parse("16*B*(2*M - 1)*(2*N - 1)*(K - 3)")).content, 16);
  EXPECT_EQ(factor(parse("-3*(M + 2)*(N + 5)")).content, -3);
  EXPECT_EQ(factor(parse("(M//2 + 1)*(N//2 + 1)")).factors.size(), 2u);
  EXPECT_EQ(spell(factor(parse("4*M + 6*N"))), "2 * (2 * M + 3 * N) + 0");
  EXPECT_EQ(factor(parse("M*N + M + N")).factors.size(), 1u);
  EXPECT_EQ(factor(parse("M*M + 2*M + 1")).factors.size(), 1u);
  EXPECT_EQ(factor(parse("0")).content, 0);
}

TEST_F(FactorsTest, GreatNumbersAreLeft) {
  Expr m = context.symbol("M"), n = context.symbol("N");
  for (int64_t number : {INT64_MIN, INT64_MIN + 1, INT64_MAX})
    for (Expr expr : {m * number + n, m * n + m * -1 + context.constant(number),
                      m * n * -1 + n * number + m, (m + n) * (m - n) + number}) {
      EXPECT_EQ(valueOf(factor(expr)), expr);
      EXPECT_EQ(valueOf(factorUpToConstant(expr)), expr);
    }
}

TEST_F(FactorsTest, UpToAConstant) {
  Factored found = factorUpToConstant(parse("(2*M - 1)*(2*N - 1) - 100"));
  EXPECT_EQ(found.factors.size(), 2u);
  EXPECT_EQ(found.rest, -100);
  EXPECT_EQ(factorUpToConstant(parse("B*(2*M - 1)*(2*N - 1)*3 - 7")).rest, -7);
  EXPECT_EQ(factorUpToConstant(parse("M + N - 7")).rest, 0);
}

TEST_F(FactorsTest, RandomProductsComeBack) {
  std::mt19937_64 random(7);
  auto number = [&](int least, int most) {
    return std::uniform_int_distribution<int>(least, most)(random);
  };
  llvm::SmallVector<Expr> atoms = {parse("M"), parse("N"), parse("K"), parse("M//2"),
                                   parse("N % 3")};
  for (int turn = 0; turn < 2000; ++turn) {
    Expr product = context.constant(number(1, 6) * (number(0, 3) ? 1 : -1));
    unsigned count = 0;
    for (Expr atom : atoms)
      if (number(0, 1)) {
        product = product * (atom * number(1, 4) + number(-5, 5));
        ++count;
      }
    Expr moved = product + number(-50, 50);
    Factored exact = factor(product), near = factorUpToConstant(moved);
    EXPECT_EQ(valueOf(exact), product);
    EXPECT_EQ(valueOf(near), moved);
    EXPECT_GE(exact.factors.size(), std::min(count, 1u));
    if (count > 1) {
      EXPECT_EQ(exact.factors.size(), count) << product.str();
      EXPECT_GE(near.factors.size(), 2u) << moved.str();
    }
    // Sums that are no products stay what they are.
    Expr sum = product + atoms[number(0, 4)] * number(1, 9);
    EXPECT_EQ(valueOf(factor(sum)), sum);
    EXPECT_EQ(valueOf(factorUpToConstant(sum)), sum);
  }
}
