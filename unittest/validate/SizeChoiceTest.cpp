// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "validate/SizeChoice.h"

#include "ProgramForTest.h"
#include "validate/Matrix.h"

namespace nereid::validate {
namespace {

class SizeChoiceTest : public ProgramTest {
protected:
  llvm::SmallVector<int64_t> choose(mlir::func::FuncOp program, int64_t size,
                                    int64_t batch = usualBatch) {
    SizeChoice choice = chooseSizes(program, size, batch);
    refusal = choice.refusal;
    return choice.sizesOf(llvm::cast<graph::TensorType>(program.getArgumentTypes()[0]));
  }
  std::string refusal;
};

constexpr const char *keep = "return %x : $X\n";
using Sizes = llvm::SmallVector<int64_t>;

TEST_F(SizeChoiceTest, TheLastAxisTakesTheSize) {
  auto program = parse("[M, N]", "[N]", keep);
  EXPECT_EQ(choose(program, 7), (Sizes{7, 7}));
  EXPECT_EQ(choose(program, 0), (Sizes{7, 0}));
  EXPECT_EQ(choose(program, 1000000), (Sizes{1, 1000000}));
  EXPECT_EQ(refusal, "");
}

TEST_F(SizeChoiceTest, TheFirstOtherAxisTakesTheBatch) {
  auto program = parse("[B, C, N]", "[N]", keep);
  EXPECT_EQ(choose(program, 64), (Sizes{7, 3, 64}));
  EXPECT_EQ(choose(program, 64, 1), (Sizes{1, 3, 64}));
  EXPECT_EQ(choose(program, 1000, 256), (Sizes{256, 3, 1000}));
  program = parse("[M, N]", "[N]", keep);
  EXPECT_EQ(choose(program, 4096, 256), (Sizes{256, 4096}));
}

TEST_F(SizeChoiceTest, TheSymbolThatMostInputsEndWithTakesTheSize) {
  auto program = parse("[N, M]", "[K, N, M]", keep);
  EXPECT_EQ(choose(program, 64), (Sizes{7, 64}));
}

TEST_F(SizeChoiceTest, AFactorIsTakenIntoAccount) {
  auto program = parse("[M, 4*D]", "[D]", keep);
  EXPECT_EQ(choose(program, 64), (Sizes{7, 64}));
  EXPECT_EQ(choose(program, 7), (Sizes{7, 8}));
}

TEST_F(SizeChoiceTest, KernelsAreAskedWhereThereIsNoElement) {
  auto program = parse("[M, N]", "[N]", keep);
  index::Context &context = sym::SymDialect::getIndexContext(program.getContext());
  auto choose = [&](int64_t size, index::Pred check) {
    SizeChoice choice = chooseSizes(program, size, usualBatch, check);
    return choice.sizesOf(llvm::cast<graph::TensorType>(program.getArgumentTypes()[0]));
  };
  index::Pred even = index::divisible(context.symbol("M"), 2);
  EXPECT_EQ(choose(0, even), (Sizes{4, 0}));
  // What they refuse although there are elements, or always, is left for the run to show.
  EXPECT_EQ(choose(7, even), (Sizes{7, 7}));
  EXPECT_EQ(choose(0, index::ge(context.symbol("N"), 1)), (Sizes{7, 0}));
  // Strides are not sizes.
  EXPECT_EQ(choose(0, index::eq(context.symbol("stride"), 1)), (Sizes{7, 0}));
}

TEST_F(SizeChoiceTest, RequirementsAreMet) {
  auto program =
      parse("[M, N]", "[N]",
            "graph.check <\"N % 8 == 0\">, \"N must be a multiple of 8\"\nreturn %x : $X\n");
  EXPECT_EQ(choose(program, 7), (Sizes{7, 8}));
  EXPECT_EQ(choose(program, 1000), (Sizes{7, 1000}));
  program =
      parse("[M, N]", "[N]", "graph.check <\"M % 2 == 0\">, \"M must be even\"\nreturn %x : $X\n");
  EXPECT_EQ(choose(program, 7), (Sizes{4, 7}));
}

TEST_F(SizeChoiceTest, WhatCannotBeMetIsNamed) {
  auto program =
      parse("[M, N]", "[N]", "graph.check <\"N >= 1\">, \"N must be positive\"\nreturn %x : $X\n");
  choose(program, 0);
  EXPECT_EQ(refusal, "N must be positive");
  EXPECT_EQ(choose(program, 1), (Sizes{7, 1}));
  EXPECT_EQ(refusal, "");
}

TEST_F(SizeChoiceTest, TypicalSizesAreScaledDown) {
  auto program = parse("[M, N]", "[N]", keep, ", graph.hints = {M = 100 : i64, N = 200 : i64}");
  EXPECT_EQ(choose(program, hintedSize), (Sizes{100, 200}));
  program = parse("[M, N]", "[N]", keep, ", graph.hints = {M = 8192 : i64, N = 4096 : i64}");
  Sizes sizes = choose(program, hintedSize);
  EXPECT_LE(sizes[0] * sizes[1], mostTypicalElements);
  EXPECT_GE(sizes[0] * sizes[1], mostTypicalElements / 4);
}

TEST_F(SizeChoiceTest, AConstantLastAxisLeavesTheOthers) {
  auto program = parse("[M, 256]", "[256]", keep);
  EXPECT_EQ(choose(program, 64), (Sizes{64, 256}));
  Sizes sizes = choose(program, 1000000);
  EXPECT_LE(sizes[0] * 256, mostElements);
  EXPECT_EQ(refusal, "");
}

} // namespace
} // namespace nereid::validate
