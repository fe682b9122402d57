// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ReadExpr.h"

#include <thread>

using namespace nereid::index;
using namespace nereid::index::test;

namespace {
class ExprTest : public ReadExpr {
protected:
  std::string canonical(llvm::StringRef text) { return parse(text).str(); }

  Expr m = context.symbol("M"), n = context.symbol("N"), block = context.symbol("BLOCK");
};
} // namespace

TEST_F(ExprTest, EqualExpressionsAreOnePointer) {
  EXPECT_EQ(m + n, n + m);
  EXPECT_EQ((m + n) * (m - n), m * m - n * n);
  EXPECT_EQ(4 * m + 4 * n, (m + n) * 4);
  EXPECT_NE(m, n);
  EXPECT_EQ(m - m, context.constant(0));
}

TEST_F(ExprTest, ExactRatios) {
  EXPECT_EQ(exactRatio(parse("6*M*N - 3*M"), parse("2*N - 1")), m * 3);
  EXPECT_FALSE(exactRatio(parse("6*M*N - 2*M"), parse("2*N - 1")));
  EXPECT_EQ(exactRatio(parse("6*M + 4"), context.constant(2)), m * 3 + 2);
  EXPECT_EQ(exactRatio(parse("6*M + 4"), context.constant(-2)), m * -3 - 2);
  EXPECT_FALSE(exactRatio(parse("6*M + 3"), context.constant(2)));
  EXPECT_FALSE(exactRatio(parse("6*M"), context.constant(0)));
}

TEST_F(ExprTest, DivisionsReduce) {
  EXPECT_EQ(canonical("(8 * M + 12) // 4"), "2 * M + 3");
  EXPECT_EQ(canonical("(8 * M + 6) // 4"), "2 * M + 1");
  EXPECT_EQ(canonical("(6 * M + 5) // 4"), "3 * M // 2 + 1");
  EXPECT_EQ(canonical("M // 4 // 8"), "M // 32");
  EXPECT_EQ(canonical("cdiv(cdiv(M, 4), 8)"), "cdiv(M, 32)");
  EXPECT_EQ(canonical("-(-M // 4)"), "cdiv(M, 4)");
  EXPECT_EQ(canonical("M * N // N"), "M");
  EXPECT_EQ(canonical("(M * N + 3) // N"), "M + 3 // N");
  EXPECT_EQ(canonical("M * N // (N * BLOCK)"), "M // BLOCK");
  EXPECT_EQ(canonical("(2 * M + 2 * N) // (M + N)"), "2");
  EXPECT_EQ(canonical("(M * N * N + M - 2 * M * N) // (N * N + 1 - 2 * N)"), "M");
  EXPECT_EQ(canonical("(M * N * N + M - 2 * M * N) // (N - 1)"), "M * N - M");
  EXPECT_EQ(canonical("(M * N * N + M - 2 * M * N) % (N - 1)"), "0");
  EXPECT_EQ(canonical("(N * N - 2) // (N - 1)"), "(N * N - 2) // (N - 1)");
  EXPECT_EQ(canonical("M % 8 // 8"), "0");
  EXPECT_EQ(canonical("M // 0"), "M // 0");
}

TEST_F(ExprTest, ModuloReduces) {
  EXPECT_EQ(canonical("(4 * M + 6) % 4"), "2");
  EXPECT_EQ(canonical("(6 * M + 5) % 4"), "2 * (3 * M % 2) + 1");
  EXPECT_EQ(canonical("M % 32 % 8"), "M % 8");
  EXPECT_EQ(canonical("M // 8 * 8 + M % 8"), "M");
  EXPECT_EQ(canonical("N * (M // 8) * 8 + M % 8 * N"), "M * N");
  EXPECT_EQ(canonical("M // N * N + M % N"), "M");
  EXPECT_EQ(canonical("M % 4 % 8"), "M % 4");
}

TEST_F(ExprTest, CeilDivisionStaysOneAtom) {
  Expr programs = ceildiv(m, block);
  EXPECT_EQ(programs.str(), "cdiv(M, BLOCK)");
  EXPECT_EQ((programs * ceildiv(n, context.symbol("BN"))).str(), "cdiv(M, BLOCK) * cdiv(N, BN)");
  EXPECT_EQ(ceildiv(m * block, block), m);
  EXPECT_EQ(floordiv(m + block - 1, block), programs);
  EXPECT_EQ(floordiv(m - 1, block) + 1, programs);
}

TEST_F(ExprTest, ExtremesDropWhatNeverCounts) {
  EXPECT_EQ(canonical("min(M, M + 1, 4, 7)"), "min(M, 4)");
  EXPECT_EQ(canonical("max(M, M - 2)"), "M");
  EXPECT_EQ(canonical("min(M % 8, 7)"), "M % 8");
  EXPECT_EQ(canonical("min(N, min(M, 3))"), "min(M, N, 3)");
  EXPECT_EQ(canonical("next_power_of_2(5) + next_power_of_2(0)"), "8");
}

TEST_F(ExprTest, OverflowStaysUnfolded) {
  Expr big = context.constant(INT64_MAX);
  Expr sum = big + big;
  EXPECT_FALSE(sum.isConstant());
  EXPECT_EQ(evaluate(sum, llvm::DenseMap<Expr, int64_t>()), std::nullopt);
  EXPECT_EQ(sum - big, big);
  EXPECT_EQ(evaluate(m * m, {{m, INT64_MAX}}), std::nullopt);
}

TEST_F(ExprTest, LongPowersDoNotExplode) {
  Expr sum = m + n + block + 1, power = sum;
  for (int i = 0; i < 40; ++i)
    power = power * sum;
  EXPECT_LT(power.getTerms().size(), 200u);
  EXPECT_EQ(evaluate(power, {{m, 0}, {n, 1}, {block, -1}}), 1);
}

TEST_F(ExprTest, LinearReading) {
  auto linear = asLinearIn(parse("4 * M * N + M + N + 3"), m);
  ASSERT_TRUE(linear);
  EXPECT_EQ(linear->coefficient, 4 * n + 1);
  EXPECT_EQ(linear->rest, n + 3);
  EXPECT_FALSE(asLinearIn(m * m + n, m));
  EXPECT_FALSE(asLinearIn(floordiv(m, 4), m));
  EXPECT_EQ(degree(parse("M * M * N + 2")), 3u);
}

TEST_F(ExprTest, OrderDoesNotDependOnCreation) {
  Context other;
  Expr late = other.symbol("b"), early = other.symbol("a");
  EXPECT_EQ((late * early + late).str(), "a * b + b");
  EXPECT_LT(compare(early, late), 0);
}

TEST_F(ExprTest, ThreadsShareOneTable) {
  std::vector<Expr> results(8);
  std::vector<std::thread> threads;
  for (Expr &result : results)
    threads.emplace_back([&] {
      Expr expr = context.symbol("t");
      for (int i = 0; i < 200; ++i)
        expr = floordiv(expr * 3 + context.symbol("s" + std::to_string(i % 7)), 2);
      result = expr;
    });
  for (std::thread &thread : threads)
    thread.join();
  for (Expr result : results)
    EXPECT_EQ(result, results.front());
}
