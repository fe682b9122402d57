// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is saved, what is refused, and that the backward programs can be scheduled: each is judged
// in the interpreter, at every stage, by the evaluator.
#include "autodiff/Autodiff.h"

#include "GraphCheck.h"

#include "graph/GraphOps.h"
#include "host/HostDialect.h"
#include "tile/TileDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

namespace nereid::autodiff {
namespace {

class AutodiffTest : public testing::Test {
protected:
  AutodiffTest() {
    context.loadDialect<mlir::arith::ArithDialect, mlir::func::FuncDialect, mlir::math::MathDialect,
                        mlir::scf::SCFDialect, sym::SymDialect, tile::TileDialect,
                        host::HostDialect, graph::GraphDialect>();
  }

  /// A program of x: $X and y: $Y; sizes with $R of the result.
  mlir::func::FuncOp parse(std::string body, std::string result = "$X") {
    std::string text =
        "func.func @f(%x: $X {graph.name = \"x\"}, %y: $Y {graph.name = \"y\"}) -> " + result +
        " attributes {graph.program, graph.result = \"{0}\"} {\n" + body + "}\n";
    for (auto [name, type] :
         {std::pair("$X", "!graph.tensor<[M, N] x f32>"),
          std::pair("$Y", "!graph.tensor<[N] x f32>"), std::pair("$R", "!graph.tensor<[M] x f32>"),
          std::pair("$B", "!graph.tensor<[M, N] x i1>")})
      for (size_t at; (at = text.find(name)) != std::string::npos;)
        text.replace(at, 2, type);
    modules.push_back(mlir::parseSourceString<mlir::ModuleOp>(text, &context));
    return modules.back() ? *modules.back()->getOps<mlir::func::FuncOp>().begin() : nullptr;
  }

  /// The backward program; null with `reason` after a refusal.
  mlir::func::FuncOp differentiate(mlir::func::FuncOp program) {
    mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &diagnostic) {
      reason = diagnostic.str();
      return mlir::success();
    });
    if (mlir::failed(addBackward(program)))
      return nullptr;
    return modules.back()->lookupSymbol<mlir::func::FuncOp>("f_backward");
  }

  /// `argument 0, result 1`: what a program saves.
  static std::string savedBy(mlir::func::FuncOp program) {
    std::string text;
    for (mlir::Attribute entry : program->getAttrOfType<mlir::ArrayAttr>("graph.saved")) {
      auto item = mlir::cast<mlir::DictionaryAttr>(entry);
      for (llvm::StringRef key : {"argument", "result"})
        if (auto number = item.getAs<mlir::IntegerAttr>(key))
          text += (text.empty() ? "" : ", ") + key.str() + " " + std::to_string(number.getInt());
      if (item.get("shape"))
        text += " shape";
    }
    return text;
  }

  /// Stages 1, 2 and random schedules of a backward program against the evaluator.
  void judge(mlir::func::FuncOp program) {
    ASSERT_TRUE(program);
    mlir::OwningOpRef<mlir::ModuleOp> alone = mlir::ModuleOp::create(program.getLoc());
    alone->push_back(program.clone());
    std::vector<schedule::test::Sizes> sizes;
    for (auto [m, n] : {std::pair(3, 5), std::pair(1, 64), std::pair(17, 33)})
      sizes.push_back({{symbol("M"), m}, {symbol("N"), n}});
    schedule::test::CheckCounts counts;
    schedule::test::CheckOptions options;
    EXPECT_EQ(schedule::test::checkGraph(*alone, sizes, options, counts), "");
    EXPECT_GT(counts.runs, 0u);
    EXPECT_EQ(counts.unknown, 0u);
  }
  index::Expr symbol(llvm::StringRef name) {
    return sym::SymDialect::getIndexContext(&context).symbol(name);
  }

  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
  std::vector<mlir::OwningOpRef<mlir::ModuleOp>> modules;
  std::string reason;
};

constexpr const char *softmax = R"(
    %m = graph.fold max %x [1] : $X -> $R
    %mb = graph.broadcast %m [0] : $R -> $X
    %d = graph.sub %x, %mb : $X
    %e = graph.exp %d : $X
    %s = graph.fold sum %e [1] : $X -> $R
    %sb = graph.broadcast %s [0] : $R -> $X
    %p = graph.div %e, %sb : $X
)";

TEST_F(AutodiffTest, SavesArgumentsAndFoldsAndComputesMapsAgain) {
  auto program = parse(std::string(softmax) + R"(
    %yb = graph.broadcast %y [1] : $Y -> $X
    %r = graph.mul %p, %yb : $X
    return %r : $X
  )");
  auto backward = differentiate(program);
  ASSERT_TRUE(backward) << reason;
  EXPECT_EQ(savedBy(program), "argument 0, argument 1, result 1, result 2");
}

TEST_F(AutodiffTest, SavesAResultInsteadOfItsParts) {
  auto program = parse(R"(
    %yb = graph.broadcast %y [1] : $Y -> $X
    %a = graph.mul %x, %yb : $X
    %e = graph.exp %a : $X
    %t = graph.tanh %e : $X
    return %t : $X
  )");
  ASSERT_TRUE(differentiate(program)) << reason;
  EXPECT_EQ(savedBy(program), "argument 0, argument 1");
  program = parse(R"(
    %m = graph.fold max %x [1] : $X -> $R
    %s = graph.fold sum %x [1] : $X -> $R
    %a = graph.add %m, %s : $R
    %e = graph.exp %a : $R
    return %e : $R
  )",
                  "$R");
  ASSERT_TRUE(differentiate(program)) << reason;
  // The exponential is there anyway; the maximum shares its gradient by comparing with x.
  EXPECT_EQ(savedBy(program), "argument 0, result 1, result 0");
}

TEST_F(AutodiffTest, SizesComeFromShapes) {
  auto program = parse(R"(
    %s = graph.fold sum %x [1] : $X -> $R
    return %s : $R
  )",
                       "$R");
  auto backward = differentiate(program);
  ASSERT_TRUE(backward) << reason;
  EXPECT_EQ(savedBy(program), "argument 0 shape");
  EXPECT_TRUE(backward.getArgAttr(1, "graph.shape_only"));
  EXPECT_TRUE(backward.getResultAttr(1, "graph.zero"));
  EXPECT_FALSE(backward.getResultAttr(0, "graph.zero"));
}

TEST_F(AutodiffTest, RefusesMutatedArguments) {
  auto program = parse(R"(
    %e = graph.exp %x : $X
    graph.assign %x, %e : $X
    return %e : $X
  )");
  EXPECT_FALSE(differentiate(program));
  EXPECT_EQ(reason, "argument 'x' is mutated by the program: a gradient with respect to it has no "
                    "meaning");
  EXPECT_FALSE(program->hasAttr("graph.backward"));
}

TEST_F(AutodiffTest, RefusesProgramsWithoutGradient) {
  EXPECT_FALSE(differentiate(parse("%b = graph.isnan %x : $X\nreturn %b : $B\n", "$B")));
  EXPECT_EQ(reason, "no result has a gradient: none is of floating-point numbers");
}

TEST_F(AutodiffTest, BackwardProgramsAreScheduledRightly) {
  for (
      std::string body : {
          std::string(softmax) + "return %p : $X\n",
          std::string("%a = graph.scan prod %x 1 : $X\nreturn %a : $X\n"),
          std::string("%a = graph.scan sum %x 0 : $X\nreturn %a : $X\n"),
          std::string("%a = graph.scan max %x 1 : $X\nreturn %a : $X\n"),
          std::string("%p = graph.isnan %x : $X\n%a = graph.scan min %x [%p] 0 reverse : $X, $B\n"
                      "return %a : $X\n"),
          std::string("%n = graph.neg %x : $X\n%z = graph.lt %x, %n : $X\n"
                      "%a = graph.scan prod %x [%z] 1 reverse : $X, $B\n"
                      "%b = graph.scan sum %a [%z] 1 : $X, $B\nreturn %b : $X\n"),
          std::string(R"(%yb = graph.broadcast %y [1] : $Y -> $X
             %a = graph.maximum %x, %yb : $X
             %b = graph.flip %a [1] : $X
             %c = graph.mul %b, %x : $X
             return %c : $X)"),
          std::string(R"(%m = graph.fold prod %x [0] : $X -> $Y
             %n = graph.mul %m, %y : $Y
             %b = graph.broadcast %n [1] : $Y -> $X
             return %b : $X)"),
          std::string(
              R"(%a = graph.slice %x dim 1 start <1> step 2 : $X -> !graph.tensor<[M, "N // 2"] x f32>
             %s = graph.fold sum %a [1] : !graph.tensor<[M, "N // 2"] x f32> -> $R
             %b = graph.broadcast %s [0] : $R -> $X
             return %b : $X)"),
      }) {
    auto backward = differentiate(parse(body));
    ASSERT_TRUE(backward) << reason;
    judge(backward);
  }
}

/// Gradients of random programs, scheduled. NEREID_RANDOM_COUNT and NEREID_RANDOM_SEED as in
/// RandomGraphTest.cpp.
TEST(RandomGradientTest, SchedulesAgreeWithTheEvaluator) {
  auto numberFrom = [](const char *name, unsigned otherwise) -> unsigned {
    const char *text = std::getenv(name);
    return text ? std::strtoul(text, nullptr, 10) : otherwise;
  };
  unsigned first = numberFrom("NEREID_RANDOM_SEED", 1), judged = 0;
  schedule::test::CheckCounts counts;
  for (unsigned seed = first; seed < first + numberFrom("NEREID_RANDOM_COUNT", 20); ++seed) {
    mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
    context.loadDialect<mlir::arith::ArithDialect, mlir::func::FuncDialect, mlir::math::MathDialect,
                        mlir::scf::SCFDialect, sym::SymDialect, tile::TileDialect,
                        host::HostDialect, graph::GraphDialect>();
    schedule::test::RandomGraph graph = schedule::test::makeRandomGraph(context, seed);
    mlir::func::FuncOp program = *graph.module->getOps<mlir::func::FuncOp>().begin();
    mlir::ScopedDiagnosticHandler handler(&context,
                                          [](mlir::Diagnostic &) { return mlir::success(); });
    if (mlir::failed(addBackward(program)))
      continue; // no floating-point argument or result, or one is mutated
    std::string name = (program.getName() + "_backward").str();
    auto backward = graph.module->lookupSymbol<mlir::func::FuncOp>(name);
    for (mlir::func::FuncOp one : {program, backward}) {
      mlir::OwningOpRef<mlir::ModuleOp> alone = mlir::ModuleOp::create(one.getLoc());
      alone->push_back(one.clone());
      schedule::test::CheckOptions options;
      options.seed = seed;
      options.schedules = 1;
      std::string problem = schedule::test::checkGraphApart(*alone, graph.sizes, options, counts);
      EXPECT_EQ(problem, "") << "seed " << seed << "\n"
                             << schedule::test::print(*alone, graph.sizes);
    }
    ++judged;
  }
  EXPECT_GT(judged, 0u);
  std::printf("%u programs, %u kernels, %u accesses proved, %u open\n", judged, counts.kernels,
              counts.proved, counts.unknown);
}

} // namespace
} // namespace nereid::autodiff
