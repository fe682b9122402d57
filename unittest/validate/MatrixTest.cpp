// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "validate/Matrix.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/SmallVector.h"
#include "gtest/gtest.h"

#include <array>
#include <set>

using namespace nereid::validate;

namespace {

TEST(MatrixTest, Size64IsCoveredInFull) {
  for (unsigned variants : {1u, 4u, 8u}) {
    std::set<std::tuple<unsigned, Pattern, Layout>> seen;
    for (const Case &one : makeMatrix(variants))
      if (one.size == 64)
        seen.insert({one.variant, one.pattern, one.layout});
    EXPECT_EQ(seen.size(), variants * patternCount * layoutCount);
  }
}

/// Two choices of different factors, as numbers.
using Pair = std::array<int64_t, 4>;

TEST(MatrixTest, EveryPairMeets) {
  for (unsigned variants : {1u, 3u, 40u}) {
    std::set<Pair> seen;
    for (const Case &one : makeMatrix(variants)) {
      int64_t row[] = {one.variant, int64_t(one.pattern), int64_t(one.layout), one.batch, one.size};
      for (int64_t a = 0; a < 5; ++a)
        for (int64_t b = a + 1; b < 5; ++b)
          if (b == 4 || one.size != 0)
            seen.insert({a, row[a], b, row[b]});
    }
    auto all = [](unsigned count) { return llvm::to_vector(llvm::seq<int64_t>(0, count)); };
    llvm::SmallVector<int64_t> choices[] = {all(variants),
                                            all(patternCount),
                                            all(layoutCount),
                                            {7, 1, 256},
                                            {0, 1, 7, 64, 1000, 4096, hintedSize}};
    for (int64_t a = 0; a < 5; ++a)
      for (int64_t b = a + 1; b < 5; ++b)
        for (int64_t first : choices[a])
          for (int64_t second : choices[b]) {
            bool isTypical = b == 4 && second == hintedSize;
            EXPECT_TRUE(seen.count({a, first, b, second}) || (a == 3 && isTypical))
                << a << ": " << first << ", " << b << ": " << second;
          }
  }
}

TEST(MatrixTest, AMillionElementsMeetEveryVariant) {
  std::set<unsigned> variants;
  for (const Case &one : makeMatrix(4))
    if (one.isLarge())
      variants.insert(one.variant);
  EXPECT_EQ(variants.size(), 4u);
}

TEST(MatrixTest, CasesAreDifferentAndAlwaysTheSame) {
  std::vector<Case> cases = makeMatrix(4);
  EXPECT_EQ(cases, makeMatrix(4));
  for (size_t i = 0; i < cases.size(); ++i)
    for (size_t j = 0; j < i; ++j)
      EXPECT_FALSE(cases[i] == cases[j]) << i << " " << j;
}

TEST(MatrixTest, ItStaysBounded) {
  EXPECT_LT(makeMatrix(4).size(), 320u);
  // What many variants need is that each meets each pattern.
  EXPECT_LT(makeMatrix(64).size(), 64u * (patternCount + 8));
  for (unsigned variants : {1u, 4u, 64u})
    EXPECT_LE(
        llvm::count_if(makeMatrix(variants),
                       [](const Case &one) { return one.isLarge() || one.elements() > 100000; }),
        8);
}

} // namespace
