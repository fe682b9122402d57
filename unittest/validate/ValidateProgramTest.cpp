// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Right programs are valid; programs with planted mistakes are not.
#include "validate/Validate.h"

#include "ProgramForTest.h"
#include "tile/TileOps.h"

namespace nereid::validate {
namespace {

class ValidateProgramTest : public ProgramTest {
protected:
  /// Judges a host program by a graph program.
  StageReport judge(mlir::func::FuncOp program, mlir::func::FuncOp host,
                    int64_t largest = std::numeric_limits<int64_t>::max()) {
    Variant variant{"f32", program, {{2, host}}};
    return validateProgram(variant, largest, [](size_t, size_t) {}).stages.front();
  }
  static std::string firstProblem(const StageReport &report) {
    return report.failures.empty() ? "" : report.failures.front().what;
  }
  template <typename Op>
  void forEachInKernels(mlir::func::FuncOp host, llvm::function_ref<void(Op)> visit) {
    host->getParentOfType<mlir::ModuleOp>().walk([&](mlir::func::FuncOp function) {
      if (function != host)
        function.walk([&](Op op) { visit(op); });
    });
  }

  mlir::func::FuncOp add() {
    return parse("[M, N]", "[M, N]", "%r = graph.add %x, %y : $X\nreturn %r : $X\n");
  }
  mlir::func::FuncOp rowSum() {
    return parse("[M, N]", "[N]", R"(
      %s = graph.fold sum %x [1] : $X -> !graph.tensor<[M] x f32>
      %b = graph.broadcast %s [0] : !graph.tensor<[M] x f32> -> $X
      %w = graph.broadcast %y [1] : $Y -> $X
      %r = graph.mul %b, %w : $X
      return %r : $X
    )");
  }
};

TEST_F(ValidateProgramTest, RightProgramsAreValid) {
  for (auto program : {add(), rowSum()})
    for (int stage : {1, 2}) {
      auto host = schedule(program, stage);
      ASSERT_TRUE(host);
      StageReport report = judge(program, host);
      EXPECT_EQ(report.failed, 0u) << firstProblem(report);
      EXPECT_GT(report.passed, 60u);
    }
}

TEST_F(ValidateProgramTest, CasesOfMoreElementsAreSkipped) {
  auto host = schedule(add(), 2);
  StageReport all = judge(add(), host), few = judge(add(), host, 4096);
  EXPECT_EQ(all.skipped, 0u);
  auto isMore = [](const Case &one) { return one.elements() > 4096; };
  EXPECT_EQ(few.skipped, llvm::count_if(makeMatrix(1), isMore));
  EXPECT_GT(few.skipped, 3u);
  EXPECT_EQ(few.passed + few.skipped, all.passed);
}

TEST_F(ValidateProgramTest, EachCaseHasItsOutcome) {
  auto program = rowSum();
  Variant variant{"f32", program, {{1, schedule(program, 1)}, {2, schedule(program, 2)}}};
  Report report = validateProgram(variant, 4096, [](size_t, size_t) {});
  EXPECT_EQ(report.cases.size(), makeMatrix(1).size());
  unsigned passed = 0, skipped = 0;
  for (const CaseReport &one : report.cases) {
    ASSERT_EQ(one.outcomes.size(), 2u);
    passed += one.outcomes[0].status == Outcome::Passed;
    skipped += !one.skipped.empty();
    if (one.skipped.empty() && one.one.pattern == Pattern::Normal && one.one.size == 64)
      EXPECT_GT(one.outcomes[1].worst.element.unit, 0);
  }
  EXPECT_EQ(passed, report.stages[0].passed);
  EXPECT_EQ(skipped, report.stages[0].skipped);
}

TEST_F(ValidateProgramTest, AnotherOperatorIsFound) {
  auto host =
      schedule(parse("[M, N]", "[M, N]", "%r = graph.sub %x, %y : $X\nreturn %r : $X\n"), 2);
  StageReport report = judge(add(), host);
  EXPECT_GT(report.failed, report.passed);
  EXPECT_NE(firstProblem(report).find("elements are wrong"), std::string::npos)
      << firstProblem(report);
}

TEST_F(ValidateProgramTest, ALostNanIsFound) {
  auto program = parse("[M, N]", "[M, N]", "%r = graph.maximum %x, %y : $X\nreturn %r : $X\n");
  auto other = parse("[M, N]", "[M, N]", R"(
    %c = graph.gt %x, %y : $X
    %r = graph.where %c, %x, %y : $X
    return %r : $X
  )");
  StageReport report = judge(program, schedule(other, 2));
  EXPECT_GT(report.failed, 0u);
  EXPECT_GT(report.passed, report.failed) << "only NaN tells them apart";
  for (const Failure &failure : report.failures)
    EXPECT_NE(failure.where.find("nan"), std::string::npos) << failure.where;
}

TEST_F(ValidateProgramTest, AMissingMaskIsFound) {
  auto program = add();
  auto host = schedule(program, 2);
  forEachInKernels<tile::StoreOp>(host,
                                  [](tile::StoreOp store) { store.getMaskMutable().clear(); });
  StageReport report = judge(program, host);
  EXPECT_GT(report.failed, 0u);
  EXPECT_NE(firstProblem(report).find("out of bounds"), std::string::npos) << firstProblem(report);
}

TEST_F(ValidateProgramTest, ALossOfPrecisionIsFound) {
  auto program = add();
  auto host = schedule(program, 2);
  forEachInKernels<mlir::arith::AddFOp>(host, [&](mlir::arith::AddFOp sum) {
    mlir::OpBuilder builder(sum->getContext());
    builder.setInsertionPointAfter(sum);
    mlir::Type wide = sum.getType(), narrow = builder.getBF16Type();
    if (auto tile = llvm::dyn_cast<mlir::RankedTensorType>(wide))
      narrow = tile.clone(narrow);
    auto cut = mlir::arith::TruncFOp::create(builder, sum.getLoc(), narrow, sum);
    auto back = mlir::arith::ExtFOp::create(builder, sum.getLoc(), mlir::TypeRange(wide),
                                            mlir::ValueRange(cut));
    sum.getResult().replaceAllUsesExcept(back, cut);
  });
  StageReport report = judge(program, host);
  EXPECT_GT(report.failed, 0u);
  EXPECT_GT(report.worst.element.ratio, 1000);
}

TEST_F(ValidateProgramTest, AnotherOrderIsFound) {
  auto program = parse("[M, N]", "[M, N]", "%r = graph.neg %x : $X\nreturn %r : $X\n");
  auto other = parse("[M, N]", "[M, N]", R"(
    %r = graph.flip %x [1] : $X
    %n = graph.neg %r : $X
    return %n : $X
  )");
  StageReport report = judge(program, schedule(other, 2));
  EXPECT_GT(report.failed, 0u);
  EXPECT_GT(report.passed, 0u) << "one column reads the same from both ends";
}

} // namespace
} // namespace nereid::validate
