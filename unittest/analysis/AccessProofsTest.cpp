// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Kernels.h"

#include "gtest/gtest.h"

using namespace mlir;
using namespace nereid::analysis;
using namespace nereid::analysis::test;

namespace {
class AccessProofs : public ::testing::Test {
protected:
  AccessProofs() { loadDialects(context); }

  std::vector<AccessVerdict> prove(StringRef kernel, llvm::ArrayRef<std::string> arguments,
                                   llvm::ArrayRef<std::string> grid, StringRef facts) {
    launched.emplace(context, kernel, arguments, grid, facts);
    EXPECT_TRUE(*launched);
    return *launched ? launched->prove() : std::vector<AccessVerdict>();
  }
  static void expectProved(const std::vector<AccessVerdict> &verdicts, size_t count) {
    EXPECT_EQ(verdicts.size(), count);
    for (const AccessVerdict &verdict : verdicts)
      EXPECT_EQ(verdict.verdict, Verdict::Proved) << verdict.reason;
  }

  MLIRContext context;
  std::optional<Launched> launched;
};
} // namespace

static const char *const vectorScale = R"(
func.func @k(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>, %n: i32) attributes {tile.kernel} {
  %c = arith.constant 128 : i32
  %pid = tile.program_id 0
  %start = arith.muli %pid, %c : i32
  %s = tile.splat %start : i32 -> tensor<128xi32>
  %r = tile.range 0 : tensor<128xi32>
  %o = arith.addi %s, %r : tensor<128xi32>
  %ns = tile.splat %n : i32 -> tensor<128xi32>
  %m = arith.cmpi slt, %o, %ns : tensor<128xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>>
  %ys = tile.splat %y : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>>
  %px = tile.addptr %xs, %o : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
  %py = tile.addptr %ys, %o : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
  %v = tile.load %px mask %m : tensor<128xi1> : tensor<128x!tile.ptr<f32>> -> tensor<128xf32>
  tile.store %py, %v mask %m : tensor<128xi1> : tensor<128x!tile.ptr<f32>>, tensor<128xf32>
  return
})";

TEST_F(AccessProofs, MaskedVector) {
  expectProved(prove(vectorScale, {"[N] x [1]", "[N] x [1]", "N"}, {"cdiv(N, 128)"},
                     "N >= 0 and N <= 2147483648 - 65536"),
               3);
}

TEST_F(AccessProofs, FlatOverAllSizes) {
  expectProved(prove(vectorScale, {"[A, B, C] x [B*C, C, 1]", "[A, B, C] x [B*C, C, 1]", "A*B*C"},
                     {"cdiv(A*B*C, 128)"},
                     "A >= 0 and B >= 0 and C >= 0 and A*B*C <= 2147483648 - 65536"),
               3);
}

TEST_F(AccessProofs, OffsetsNearTheEndOf32BitsAreNotTaken) {
  auto verdicts =
      prove(vectorScale, {"[N] x [1]", "[N] x [1]", "N"}, {"cdiv(N, 128) + 1"}, "N >= 0");
  ASSERT_EQ(verdicts.size(), 3u);
  EXPECT_EQ(verdicts[0].verdict, Verdict::Unknown);
  EXPECT_NE(verdicts[0].reason.find("16777215"), std::string::npos) << verdicts[0].reason;
}

TEST_F(AccessProofs, WrongSizeHasAWitness) {
  auto verdicts = prove(vectorScale, {"[N - 1] x [1]", "[N] x [1]", "N"}, {"cdiv(N, 128)"},
                        "N >= 1 and N <= 1000000");
  ASSERT_EQ(verdicts.size(), 3u);
  EXPECT_EQ(verdicts[0].verdict, Verdict::Counterexample);
  ASSERT_TRUE(verdicts[0].witness);
  EXPECT_EQ(verdicts[1].verdict, Verdict::Proved) << verdicts[1].reason;
  EXPECT_EQ(verdicts[2].verdict, Verdict::Proved) << verdicts[2].reason;
}

static const char *const rowSum = R"(
func.func @k(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>, %n: i32) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %step = arith.constant 64 : i32
  %pid = tile.program_id 0
  %row = arith.extsi %pid : i32 to i64
  %wide = arith.extsi %n : i32 to i64
  %base = arith.muli %row, %wide : i64
  %px = tile.addptr %x, %base : !tile.ptr<f32>, i64
  %py = tile.addptr %y, %base : !tile.ptr<f32>, i64
  %r = tile.range 0 : tensor<64xi32>
  %ns = tile.splat %n : i32 -> tensor<64xi32>
  scf.for %i = %zero to %n step %step : i32 {
    %is = tile.splat %i : i32 -> tensor<64xi32>
    %c = arith.addi %is, %r : tensor<64xi32>
    %m = arith.cmpi slt, %c, %ns : tensor<64xi32>
    %xs = tile.splat %px : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
    %qx = tile.addptr %xs, %c : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
    %v = tile.load %qx mask %m : tensor<64xi1> : tensor<64x!tile.ptr<f32>> -> tensor<64xf32>
    %ys = tile.splat %py : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
    %qy = tile.addptr %ys, %c : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
    tile.store %qy, %v mask %m : tensor<64xi1> : tensor<64x!tile.ptr<f32>>, tensor<64xf32>
  }
  return
})";

TEST_F(AccessProofs, RowsInALoop) {
  expectProved(prove(rowSum, {"[M, N] x [N, 1]", "[M, N] x [N, 1]", "N"}, {"M"},
                     "M >= 0 and N >= 0 and N <= 2147483648 - 65536"),
               3);
  expectProved(prove(rowSum, {"[B, T, D] x [T*D, D, 1]", "[B, T, D] x [T*D, D, 1]", "D"}, {"B*T"},
                     "B >= 0 and T >= 0 and D >= 0 and D <= 2147483648 - 65536"),
               3);
}

TEST_F(AccessProofs, ProgramsThatShareARow) {
  auto verdicts = prove(rowSum, {"[M, N] x [N, 1]", "[M, N] x [0, 1]", "N"}, {"M"},
                        "M >= 0 and N >= 0 and N <= 1000");
  ASSERT_EQ(verdicts.size(), 3u);
  EXPECT_EQ(verdicts[1].verdict, Verdict::Counterexample);
}

TEST_F(AccessProofs, EveryProgramStoresToOneElement) {
  auto verdicts = prove(R"(
func.func @k(%y: !tile.ptr<f32>) attributes {tile.kernel} {
  %one = arith.constant 1.0 : f32
  tile.store %y, %one : !tile.ptr<f32>, f32
  return
})",
                        {"[N] x [1]"}, {"N"}, "N >= 0");
  ASSERT_EQ(verdicts.size(), 2u);
  EXPECT_EQ(verdicts[0].verdict, Verdict::Proved) << verdicts[0].reason;
  EXPECT_EQ(verdicts[1].verdict, Verdict::Counterexample);
  ASSERT_TRUE(verdicts[1].witness);
  EXPECT_NE(verdicts[1].witness->str().find("pid0'"), std::string::npos);
}

TEST_F(AccessProofs, LoadedIndicesAreUnknown) {
  auto verdicts = prove(R"(
func.func @k(%i: !tile.ptr<i32>, %x: !tile.ptr<f32>) attributes {tile.kernel} {
  %pid = tile.program_id 0
  %p = tile.addptr %i, %pid : !tile.ptr<i32>, i32
  %j = tile.load %p : !tile.ptr<i32> -> i32
  %q = tile.addptr %x, %j : !tile.ptr<f32>, i32
  %v = tile.load %q : !tile.ptr<f32> -> f32
  return
})",
                        {"[N] x [1]", "[V] x [1]"}, {"N"}, "N >= 0 and V >= 1");
  ASSERT_EQ(verdicts.size(), 2u);
  EXPECT_EQ(verdicts[0].verdict, Verdict::Proved) << verdicts[0].reason;
  EXPECT_EQ(verdicts[1].verdict, Verdict::Unknown);
}
