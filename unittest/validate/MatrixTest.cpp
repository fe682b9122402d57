// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "validate/Matrix.h"

#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"

#include <set>

using namespace nereid::validate;

namespace {

TEST(MatrixTest, Size64IsCoveredInFull) {
  for (unsigned variants : {1u, 3u, 4u}) {
    std::set<std::tuple<unsigned, Pattern, Layout>> seen;
    for (const Case &one : makeMatrix(variants))
      if (one.size == 64)
        EXPECT_TRUE(seen.insert({one.variant, one.pattern, one.layout}).second);
    EXPECT_EQ(seen.size(), variants * patternCount * layoutCount);
  }
}

TEST(MatrixTest, EveryPairMeetsAtTheOtherSizes) {
  std::set<std::pair<int64_t, unsigned>> patterns, layouts, variants;
  for (const Case &one : makeMatrix(3)) {
    patterns.insert({one.size, static_cast<unsigned>(one.pattern)});
    layouts.insert({one.size, static_cast<unsigned>(one.layout)});
    variants.insert({one.size, one.variant});
  }
  for (int64_t size : {int64_t(0), int64_t(1), int64_t(7), int64_t(64), int64_t(1000),
                       int64_t(4096), hintedSize}) {
    for (unsigned pattern = 0; pattern < patternCount; ++pattern)
      EXPECT_TRUE(patterns.count({size, pattern})) << size << " " << pattern;
    for (unsigned layout = 0; layout < layoutCount; ++layout)
      EXPECT_TRUE(layouts.count({size, layout})) << size << " " << layout;
    for (unsigned variant = 0; variant < 3; ++variant)
      EXPECT_TRUE(variants.count({size, variant})) << size << " " << variant;
  }
}

TEST(MatrixTest, AMillionElementsMeetEveryVariant) {
  std::set<unsigned> variants;
  for (const Case &one : makeMatrix(3))
    if (one.size == 1000000)
      variants.insert(one.variant);
  EXPECT_EQ(variants.size(), 3u);
}

TEST(MatrixTest, CasesAreDifferentAndAlwaysTheSame) {
  std::vector<Case> cases = makeMatrix(3);
  EXPECT_EQ(cases, makeMatrix(3));
  for (size_t i = 0; i < cases.size(); ++i)
    for (size_t j = 0; j < i; ++j)
      EXPECT_FALSE(cases[i] == cases[j]) << i << " " << j;
  EXPECT_LT(cases.size(), 200u);
}

} // namespace
