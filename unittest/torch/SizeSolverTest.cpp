// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/torch/SizeSolver.h"

#include "gtest/gtest.h"

using namespace nereid::torch;
using namespace nereid::index;

namespace {

class SizeSolverTest : public testing::Test {
protected:
  Context context;
  SizeSolver solver{context};
};

TEST_F(SizeSolverTest, TheFirstSymbolStays) {
  Expr m = solver.symbol("M"), n = solver.symbol("N");
  EXPECT_TRUE(solver.unify(n, m));
  EXPECT_EQ(solver.resolve(n + 1), m + 1);
}

TEST_F(SizeSolverTest, SolvesForASymbol) {
  Expr m = solver.symbol("M"), n = solver.symbol("N"), k = solver.symbol("K");
  EXPECT_TRUE(solver.unify(n - 1, 2 * m));
  EXPECT_EQ(solver.resolve(n), 2 * m + 1);
  EXPECT_TRUE(solver.unify(4 * k, 4 * m));
  EXPECT_EQ(solver.resolve(k), m);
  EXPECT_FALSE(solver.unify(m, m + 1));
}

TEST_F(SizeSolverTest, TypicalSizesContradict) {
  Expr m = solver.symbol("M");
  solver.setHint(m, 6);
  EXPECT_FALSE(solver.unify(m, context.constant(7)));
  EXPECT_FALSE(solver.require(ge(m, 8), "at least 8"));
  EXPECT_FALSE(solver.decide(ge(m, 8), "at least 8"));
  ASSERT_EQ(solver.getChecks().size(), 1u);
  EXPECT_EQ(solver.getChecks()[0].pred, lt(m, 8));
}

TEST_F(SizeSolverTest, HalvesOfAnEvenSize) {
  Expr n = solver.symbol("N");
  solver.setHint(n, 6);
  Expr half = floordiv(n, 2);
  EXPECT_TRUE(solver.unify(half, n - half));
  EXPECT_EQ(solver.resolve(n - half), half);
  EXPECT_EQ(solver.resolve(half + half), n);
  EXPECT_EQ(solver.getChecks().size(), 1u);
}

TEST_F(SizeSolverTest, HalvesOfOneAxisAreEqualWhereItIsEven) {
  Expr n = solver.symbol("N");
  Expr even = ceildiv(n, 2), odd = floordiv(n, 2);
  EXPECT_TRUE(solver.unify(even, odd));
  ASSERT_EQ(solver.getChecks().size(), 1u);
  EXPECT_EQ(solver.getChecks().front().pred.str(), "N % 2 == 0");
  EXPECT_EQ(solver.resolve(even), solver.resolve(odd));
}

TEST_F(SizeSolverTest, ACaseReplacesTypicalSizesThatContradictIt) {
  Expr m = solver.symbol("M"), n = solver.symbol("N");
  solver.setHint(m, 4096);
  solver.setHint(n, 64);
  solver.assume(lt(m, 1024));
  EXPECT_LT(*solver.hint(m), 1024);
  solver.assume(eq(m, n));
  EXPECT_EQ(solver.resolve(m), solver.resolve(n));
  EXPECT_EQ(*solver.hint(m), *solver.hint(n));
}

TEST_F(SizeSolverTest, ATrialLeavesNothingBehind) {
  Expr m = solver.symbol("M"), n = solver.symbol("N");
  SizeSolver::State before = solver.save();
  EXPECT_TRUE(solver.unify(m, n));
  EXPECT_TRUE(solver.require(divisible(m, 3), "by three"));
  solver.restore(std::move(before));
  EXPECT_NE(solver.resolve(n), m);
  EXPECT_TRUE(solver.getChecks().empty());
}

} // namespace
