// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/LinearProof.h"

#include "gtest/gtest.h"

#include <random>

using namespace nereid;
using namespace nereid::analysis;
using index::Expr;

namespace {
/// A position $o below B * M * N.
class LinearProof : public ::testing::Test {
protected:
  LinearProof() : facts(context) {
    for (Expr size : {b, m, n})
      facts.assume(index::ge(size, 1));
    facts.assume(index::ge(o, 0));
    facts.assume(index::lt(o, b * m * n));
  }

  /// The least value of an expression over all positions of small sizes.
  int64_t leastInBox(Expr expr) const {
    int64_t least = INT64_MAX;
    for (int64_t vb = 1; vb <= 3; ++vb)
      for (int64_t vm = 1; vm <= 4; ++vm)
        for (int64_t vn = 1; vn <= 5; ++vn)
          for (int64_t vo = 0; vo < vb * vm * vn; ++vo)
            least =
                std::min(least, *index::evaluate(expr, llvm::DenseMap<Expr, int64_t>{
                                                           {b, vb}, {m, vm}, {n, vn}, {o, vo}}));
    return least;
  }

  index::Context context;
  Expr b = context.symbol("B"), m = context.symbol("M"), n = context.symbol("N");
  Expr o = context.symbol("$o");
  index::Facts facts;
};
} // namespace

TEST_F(LinearProof, ShiftedHalfOfARow) {
  Expr half = index::floordiv(n, 2);
  EXPECT_FALSE(isTrueLinearly(facts, index::lt(o + half, b * m * n)));
  facts.assume(index::lt(index::mod(o, n), n - half));
  EXPECT_TRUE(isTrueLinearly(facts, index::lt(o + half, b * m * n)));
}

TEST_F(LinearProof, RowBeforeThisOne) {
  Expr row = index::mod(index::floordiv(o, n), m);
  EXPECT_FALSE(isTrueLinearly(facts, index::ge(o - n, 0)));
  facts.assume(index::ge(row, 1));
  EXPECT_TRUE(isTrueLinearly(facts, index::ge(o - n, 0)));
  EXPECT_FALSE(isTrueLinearly(facts, index::ge(o - n - 1, 0)));
}

TEST_F(LinearProof, RandomBoundsAgreeWithEnumeration) {
  Expr row = index::floordiv(o, n);
  Expr parts[] = {o,
                  n,
                  m * n,
                  b * m * n,
                  row,
                  n * row,
                  index::mod(o, n),
                  index::mod(row, m),
                  n * index::mod(row, m),
                  index::floordiv(o, m * n),
                  index::mod(o, m * n),
                  index::floordiv(n, 2)};
  std::mt19937 random(11);
  unsigned proved = 0;
  for (unsigned i = 0; i < 300; ++i) {
    Expr expr = context.constant(0);
    for (unsigned part = 0; part < 3; ++part)
      expr = expr + parts[random() % std::size(parts)] * (int64_t(random() % 5) - 2);
    int64_t least = leastInBox(expr);
    EXPECT_FALSE(isTrueLinearly(facts, index::ge(expr, least + 1)))
        << expr.str() << " >= " << least + 1;
    proved += isTrueLinearly(facts, index::ge(expr, least));
  }
  // Most random sums have no bound that holds for all sizes.
  EXPECT_GT(proved, 30u);
}
