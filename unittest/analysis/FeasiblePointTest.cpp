// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// hasFeasiblePoint beside the exact simplex of MLIR, on systems drawn at random: some that a point
// with limits of machine integers among its coordinates satisfies, some without any.
#include "analysis/FeasiblePoint.h"

#include "mlir/Analysis/Presburger/Simplex.h"
#include "gtest/gtest.h"

#include <random>

using namespace nereid::analysis;

static bool isEmpty(unsigned unknowns, llvm::ArrayRef<LinearRow> rows) {
  mlir::presburger::Simplex simplex(unknowns);
  for (const LinearRow &row : rows) {
    llvm::SmallVector<llvm::DynamicAPInt> dense(unknowns + 1, llvm::DynamicAPInt(0));
    for (auto [unknown, coefficient] : row.terms)
      dense[unknown] += llvm::DynamicAPInt(coefficient);
    dense.back() = llvm::DynamicAPInt(row.constant);
    if (row.isEquality)
      simplex.addEquality(dense);
    else
      simplex.addInequality(dense);
  }
  return simplex.isEmpty();
}

namespace {
struct Draw {
  std::mt19937 random;
  explicit Draw(unsigned seed) : random(seed) {}
  int64_t operator()(int64_t least, int64_t most) {
    return std::uniform_int_distribution<int64_t>(least, most)(random);
  }
};
} // namespace

/// Rows that the point satisfies, by `slack` or more.
static llvm::SmallVector<LinearRow> draw(Draw &draw, llvm::ArrayRef<int64_t> point, int64_t slack) {
  llvm::SmallVector<LinearRow> rows;
  for (int64_t count = draw(5, 60); count > 0; --count) {
    LinearRow &row = rows.emplace_back();
    row.isEquality = draw(0, 19) == 0;
    int64_t value = 0;
    for (int64_t terms = draw(1, 4); terms > 0; --terms) {
      unsigned unknown = draw(0, int64_t(point.size()) - 1);
      // Of quotients and remainders one coefficient is 1.
      int64_t coefficient = row.isEquality && terms == 1 ? 1
                            : draw(0, 9) == 0            ? draw(-(1 << 20), 1 << 20)
                                                         : draw(-3, 3);
      row.terms.push_back({unknown, coefficient});
      value += coefficient * point[unknown];
    }
    row.constant = -value;
    if (!row.isEquality)
      row.constant += slack + (draw(0, 3) == 0 ? int64_t(1) << 31 : draw(0, 100));
  }
  return rows;
}

TEST(FeasiblePoint, FindsPointsOfSystemsThatHaveThem) {
  unsigned found = 0, all = 0;
  for (unsigned seed = 0; seed < 300; ++seed) {
    Draw numbers(seed);
    llvm::SmallVector<int64_t> point(numbers(1, 20));
    for (int64_t &coordinate : point)
      coordinate = numbers(0, 3) == 0 ? numbers(0, int64_t(1) << 31) : numbers(0, 100);
    llvm::SmallVector<LinearRow> rows = draw(numbers, point, 1);
    ++all;
    found += hasFeasiblePoint(point.size(), rows);
  }
  // Equalities that others leave without a coefficient of 1 are the exact simplex's.
  EXPECT_GE(found * 10, all * 7) << found << " of " << all;
}

TEST(FeasiblePoint, FindsNoneInEmptySystems) {
  unsigned empty = 0, found = 0;
  for (unsigned seed = 0; seed < 600; ++seed) {
    Draw numbers(seed);
    llvm::SmallVector<int64_t> point(numbers(1, 8));
    for (int64_t &coordinate : point)
      coordinate = numbers(0, 100);
    // Some rows miss the point, by a little.
    llvm::SmallVector<LinearRow> rows = draw(numbers, point, numbers(-60, 0));
    bool isOne = hasFeasiblePoint(point.size(), rows), isNone = isEmpty(point.size(), rows);
    EXPECT_FALSE(isOne && isNone) << "seed " << seed;
    empty += isNone;
    found += isOne;
  }
  EXPECT_GE(empty, 50u);
  EXPECT_GE(found, 50u);
}

TEST(FeasiblePoint, KnowsTheBordersOfIntegers) {
  // 2^31 q <= x < 2^31 (q + 1), q >= 1, x <= 2^31 - 1 + gap: a point where gap is 1.
  for (int64_t gap : {0, 1}) {
    int64_t limit = int64_t(1) << 31;
    llvm::SmallVector<LinearRow> rows = {{{{0, 1}, {1, -limit}}, 0, false},
                                         {{{0, -1}, {1, limit}}, limit - 1, false},
                                         {{{1, 1}}, -1, false},
                                         {{{0, -1}}, limit - 1 + gap, false}};
    EXPECT_EQ(isEmpty(2, rows), gap == 0);
    EXPECT_FALSE(gap == 0 && hasFeasiblePoint(2, rows));
  }
}
