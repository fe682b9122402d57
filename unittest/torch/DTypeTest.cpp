// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/torch/DType.h"

#include "mlir/IR/MLIRContext.h"
#include "gtest/gtest.h"

using namespace nereid::torch;

TEST(DTypeTest, NumbersOnlyRaiseTheKind) {
  EXPECT_EQ(resultType({{DType::F16, Rank::Dimensions}, {DType::F64, Rank::Number}}), DType::F16);
  EXPECT_EQ(resultType({{DType::I32, Rank::Dimensions}, {DType::I64, Rank::Number}}), DType::I32);
  EXPECT_EQ(resultType({{DType::I32, Rank::Dimensions}, {DType::F64, Rank::Number}}), DType::F32);
  EXPECT_EQ(resultType({{DType::Bool, Rank::Dimensions}, {DType::I64, Rank::Number}}), DType::I64);
}

TEST(DTypeTest, TensorsOfRankZeroOnlyRaiseTheKind) {
  EXPECT_EQ(resultType({{DType::F16, Rank::Dimensions}, {DType::F64, Rank::Zero}}), DType::F16);
  EXPECT_EQ(resultType({{DType::I64, Rank::Dimensions}, {DType::F16, Rank::Zero}}), DType::F16);
  EXPECT_EQ(resultType({{DType::I64, Rank::Zero}, {DType::F64, Rank::Number}}), DType::F32);
}

TEST(DTypeTest, Lattice) {
  EXPECT_EQ(promote(DType::F16, DType::BF16), DType::F32);
  EXPECT_EQ(promote(DType::U8, DType::I8), DType::I16);
  EXPECT_EQ(promote(DType::U8, DType::I64), DType::I64);
  EXPECT_EQ(promote(DType::F8E4M3, DType::F16), std::nullopt);
}

TEST(DTypeTest, MlirTypesAndBack) {
  mlir::MLIRContext context;
  for (unsigned number = 0; number <= static_cast<unsigned>(DType::F64); ++number) {
    auto type = static_cast<DType>(number);
    EXPECT_EQ(fromMlir(toMlir(type, &context)), type);
    EXPECT_EQ(parseSpecName(getSpecName(type)), type);
    // Programs may not have fp8 yet, whatever PyTorch calls it.
    EXPECT_EQ(parseTorchName(getTorchName(type)),
              isEightBits(type) ? std::nullopt : std::optional(type));
  }
}
