// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "schedule/nest/Contraction.h"
#include "schedule/nest/Configurations.h"

#include "gtest/gtest.h"

using namespace nereid::schedule;

namespace {

Policy stage(int number) { return Policy(number, *findDevice("h200"), {}); }

ContractionSizes product(int64_t rows, int64_t columns, int64_t terms, int64_t bytes) {
  ContractionSizes sizes;
  sizes.rows = rows;
  sizes.columns = columns;
  sizes.terms = terms;
  sizes.bytesOfElement = bytes;
  return sizes;
}

TEST(Contraction, TilesFitTheDevice) {
  for (int64_t rows : {1, 16, 100, 4096})
    for (int64_t bytes : {2, 4})
      for (unsigned sums : {1, 3}) {
        ContractionSizes sizes = product(rows, 4096, 4096, bytes);
        sizes.sums = sums;
        Configs configs = contractionConfigs(stage(3), sizes);
        ASSERT_FALSE(configs.empty());
        EXPECT_LE(configs.size(), 5u);
        for (const Config &config : configs) {
          int64_t m = sideOf(config, "BLOCK_M"), n = sideOf(config, "BLOCK_N");
          int64_t k = sideOf(config, "BLOCK_K");
          EXPECT_GE(std::min({m, n, k}), shortestSide);
          EXPECT_LE(config.stages * k * bytes * (m + n * int64_t(sums)),
                    findDevice("h200")->sharedBytes);
        }
      }
}

TEST(Contraction, TilesFollowTheSizes) {
  Configs few = contractionConfigs(stage(3), product(16, 4096, 4096, 2));
  EXPECT_EQ(sideOf(few.front(), "BLOCK_M"), 16);
  Configs many = contractionConfigs(stage(3), product(8192, 8192, 4096, 2));
  EXPECT_GE(sideOf(many.front(), "BLOCK_M") * sideOf(many.front(), "BLOCK_N"), 128 * 128);
  EXPECT_EQ(contractionConfigs(stage(1), product(8192, 8192, 4096, 2)).size(), 1u);
}

TEST(Contraction, TimeGrowsWithTheWork) {
  const Device &device = *findDevice("h200");
  Config tile{{{"BLOCK_M", 128}, {"BLOCK_N", 128}, {"BLOCK_K", 32}}, 8, 3};
  double once = estimateTile(device, product(4096, 4096, 4096, 4), tile);
  EXPECT_GT(estimateTile(device, product(8192, 4096, 4096, 4), tile), 1.8 * once);
  EXPECT_GT(estimateTile(device, product(4096, 4096, 8192, 4), tile), 1.8 * once);
  EXPECT_LT(estimateTile(device, product(4096, 4096, 4096, 2), tile), once / 2);
  // A product of 4096^3 takes 1.84 ms on an H100, with float32 made of three products of TF32.
  EXPECT_NEAR(once, 1840, 400);
}

TEST(Contraction, PiecesFillTiles) {
  EXPECT_TRUE(isTermPiece(64, 64 * 9));
  EXPECT_FALSE(isTermPiece(3, 64 * 9));
  EXPECT_TRUE(isTermPiece(20, 20));
  EXPECT_TRUE(isSidePiece(64, 64 * 9));
  EXPECT_FALSE(isSidePiece(56, 32 * 56 * 56));
}

} // namespace
