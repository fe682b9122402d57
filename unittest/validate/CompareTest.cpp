// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "validate/Compare.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/MLIRContext.h"
#include "gtest/gtest.h"

#include <cmath>

using namespace nereid::graph;
using namespace nereid::validate;

namespace {

constexpr double inf = INFINITY, nan = NAN;

class CompareTest : public testing::Test {
protected:
  Array floats(std::vector<double> values, mlir::Type type) {
    Array array({static_cast<int64_t>(values.size())}, type);
    array.reals = std::move(values);
    return array;
  }
  static Comparison compareArrays(const Array &got, const Array &exact, const Array &working) {
    return compare(got, exact, {&working});
  }
  Comparison compareAs(mlir::Type type, std::vector<double> got, std::vector<double> exact,
                       std::vector<double> working) {
    return compareArrays(floats(got, type), floats(exact, type), floats(working, type));
  }
  Comparison compareF32(std::vector<double> got, std::vector<double> exact,
                        std::vector<double> working) {
    return compareAs(f32, std::move(got), std::move(exact), std::move(working));
  }

  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
  mlir::Type f32 = mlir::Float32Type::get(&context);
  mlir::Type f16 = mlir::Float16Type::get(&context);
};

TEST_F(CompareTest, TwoUnitsInTheLastPlaceAreAllowed) {
  double unit = 0x1p-23;
  EXPECT_TRUE(compareF32({1 + 2 * unit}, {1}, {1}).succeeded());
  Comparison wrong = compareF32({1, 1 + 3 * unit, 1}, {1, 1, 1}, {1, 1, 1});
  EXPECT_EQ(wrong.wrong, 1);
  EXPECT_EQ(wrong.worstAt, 1);
  EXPECT_DOUBLE_EQ(wrong.ratio, 1.5);
}

TEST_F(CompareTest, FourTimesTheErrorOfWorkingPrecisionIsAllowed) {
  EXPECT_TRUE(compareF32({1.0039}, {1}, {1.001}).succeeded());
  EXPECT_FALSE(compareF32({1.0041}, {1}, {1.001}).succeeded());
}

TEST_F(CompareTest, TheGreatestErrorOfTheSamplesCounts) {
  Array got = floats({1.0039}, f32), exact = floats({1}, f32), lucky = exact,
        usual = floats({1.001}, f32);
  EXPECT_FALSE(compare(got, exact, {&lucky}).succeeded());
  EXPECT_TRUE(compare(got, exact, {&lucky, &usual}).succeeded());
}

TEST_F(CompareTest, UnitsFollowTheType) {
  EXPECT_DOUBLE_EQ(unitInLastPlace(1, f32), 0x1p-23);
  EXPECT_DOUBLE_EQ(unitInLastPlace(1.5, f16), 0x1p-10);
  EXPECT_DOUBLE_EQ(unitInLastPlace(0, f16), 0x1p-24);
  EXPECT_DOUBLE_EQ(unitInLastPlace(-1000, f16), 0.5);
  EXPECT_DOUBLE_EQ(unitInLastPlace(1, mlir::BFloat16Type::get(&context)), 0x1p-7);
}

TEST_F(CompareTest, NanAndInfinitiesStayWhereTheyAre) {
  EXPECT_TRUE(compareF32({nan, inf, -inf}, {nan, inf, -inf}, {nan, inf, -inf}).succeeded());
  EXPECT_FALSE(compareF32({1}, {nan}, {nan}).succeeded());
  EXPECT_FALSE(compareF32({nan}, {1}, {1}).succeeded());
  EXPECT_FALSE(compareF32({inf}, {-inf}, {-inf}).succeeded());
  EXPECT_FALSE(compareF32({inf}, {1}, {1}).succeeded());
  EXPECT_FALSE(compareF32({3e38}, {inf}, {inf}).succeeded());
}

TEST_F(CompareTest, WhatIsBeyondTheRangeMayBeInfinite) {
  EXPECT_TRUE(compareAs(f16, {inf}, {70000}, {inf}).succeeded());
  EXPECT_FALSE(compareAs(f16, {-inf}, {70000}, {70000}).succeeded());
  EXPECT_FALSE(compareAs(f16, {inf}, {60000}, {60000}).succeeded());
}

TEST_F(CompareTest, IntegersAreExact) {
  mlir::Type type = mlir::IntegerType::get(&context, 64);
  auto integers = [&](std::vector<int64_t> values) {
    Array array({static_cast<int64_t>(values.size())}, type);
    array.integers = std::move(values);
    return array;
  };
  EXPECT_TRUE(compareArrays(integers({1, 2}), integers({1, 2}), integers({1, 2})).succeeded());
  Comparison wrong = compareArrays(integers({1, 3}), integers({1, 2}), integers({1, 2}));
  EXPECT_EQ(wrong.wrong, 1);
  EXPECT_EQ(wrong.worstAt, 1);
}

TEST_F(CompareTest, SizesAndTypesMustAgree) {
  EXPECT_FALSE(compareF32({1, 2}, {1}, {1}).succeeded());
  EXPECT_FALSE(
      compareArrays(floats({1}, f16), floats({1}, f32), floats({1}, f32)).mismatch.empty());
}

} // namespace
