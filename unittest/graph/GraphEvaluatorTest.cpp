// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "graph/GraphEvaluator.h"

#include "graph/GraphOps.h"

#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

#include <cmath>

using namespace nereid::graph;
using llvm::SmallVector;

namespace {

class GraphEvaluatorTest : public testing::Test {
protected:
  GraphEvaluatorTest() { context.loadDialect<GraphDialect, mlir::func::FuncDialect>(); }

  /// Evaluates the body of a program of one argument `x`.
  mlir::FailureOr<Evaluation> run(llvm::StringRef argument, llvm::StringRef result,
                                  llvm::StringRef body, Array input) {
    std::string text = ("func.func @f(%x: " + argument + " {graph.name = \"x\"}) -> " + result +
                        " attributes {graph.program, graph.result = \"{0}\"} {" + body + "}")
                           .str();
    module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    if (!module)
      return mlir::failure();
    return evaluateProgram(*module->getOps<mlir::func::FuncOp>().begin(), {input}, reason);
  }
  Array reals(SmallVector<int64_t> shape, std::vector<double> values) {
    Array array(shape, mlir::Float32Type::get(&context));
    array.reals = std::move(values);
    return array;
  }

  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::string reason;
};

TEST_F(GraphEvaluatorTest, FoldsAlongAnAxis) {
  auto result = run("!graph.tensor<[M, N] x f32>", "!graph.tensor<[M] x f32>", R"(
    %s = graph.fold sum %x [1] : !graph.tensor<[M, N] x f32> -> !graph.tensor<[M] x f32>
    return %s : !graph.tensor<[M] x f32>)",
                    reals({2, 3}, {1, 2, 3, 4, 5, 6}));
  ASSERT_TRUE(mlir::succeeded(result)) << reason;
  EXPECT_EQ(result->results[0].reals, (std::vector<double>{6, 15}));
}

TEST_F(GraphEvaluatorTest, DropsElidableCastsAndKeepsOthers) {
  for (bool elidable : {true, false}) {
    std::string body = std::string("%h = graph.cast %x ") + (elidable ? "{elidable}" : "") + R"( :
      !graph.tensor<[M] x f32> -> !graph.tensor<[M] x f16>
      %w = graph.cast %h : !graph.tensor<[M] x f16> -> !graph.tensor<[M] x f32>
      return %w : !graph.tensor<[M] x f32>)";
    auto result =
        run("!graph.tensor<[M] x f32>", "!graph.tensor<[M] x f32>", body, reals({1}, {1.0001}));
    ASSERT_TRUE(mlir::succeeded(result)) << reason;
    EXPECT_EQ(result->results[0].reals[0], elidable ? 1.0001 : 1.0);
  }
}

TEST_F(GraphEvaluatorTest, MaxPropagatesNaN) {
  auto result = run("!graph.tensor<[M] x f32>", "!graph.tensor<[] x f32>", R"(
    %s = graph.fold max %x [0] : !graph.tensor<[M] x f32> -> !graph.tensor<[] x f32>
    return %s : !graph.tensor<[] x f32>)",
                    reals({3}, {1, std::nan(""), 2}));
  ASSERT_TRUE(mlir::succeeded(result)) << reason;
  EXPECT_TRUE(std::isnan(result->results[0].reals[0]));
}

TEST_F(GraphEvaluatorTest, GatherOutsideIsZero) {
  auto result = run("!graph.tensor<[M] x f32>", "!graph.tensor<[M] x f32>", R"(
    %i = graph.iota 0 -> !graph.tensor<[M] x i64>
    %j = graph.add %i, %i : !graph.tensor<[M] x i64>
    %g = graph.gather %x [%j] dim 0 : !graph.tensor<[M] x f32>, !graph.tensor<[M] x i64> -> !graph.tensor<[M] x f32>
    return %g : !graph.tensor<[M] x f32>)",
                    reals({4}, {1, 2, 3, 4}));
  ASSERT_TRUE(mlir::succeeded(result)) << reason;
  EXPECT_EQ(result->results[0].reals, (std::vector<double>{1, 3, 0, 0}));
}

TEST_F(GraphEvaluatorTest, RefusesShapesThatDoNotFit) {
  auto result = run("!graph.tensor<[M, M] x f32>", "!graph.tensor<[M, M] x f32>",
                    "return %x : !graph.tensor<[M, M] x f32>", reals({1, 2}, {1, 2}));
  EXPECT_TRUE(mlir::failed(result));
  EXPECT_EQ(reason, "axis 1 of 'x' has size 2, expected M");
}

TEST_F(GraphEvaluatorTest, AssignsArguments) {
  auto result = run("!graph.tensor<[M] x f32>", "!graph.tensor<[M] x f32>", R"(
    %y = graph.neg %x : !graph.tensor<[M] x f32>
    graph.assign %x, %y : !graph.tensor<[M] x f32>
    return %x : !graph.tensor<[M] x f32>)",
                    reals({2}, {1, -2}));
  ASSERT_TRUE(mlir::succeeded(result)) << reason;
  ASSERT_EQ(result->assigned.size(), 1u);
  EXPECT_EQ(result->assigned[0].second.reals, (std::vector<double>{-1, 2}));
}

TEST_F(GraphEvaluatorTest, BytesSurviveTheRoundTrip) {
  Array half({2}, mlir::Float16Type::get(&context));
  half.reals = {0.5, -65504};
  std::vector<char> bytes = toBytes(half);
  EXPECT_EQ(bytes.size(), 4u);
  EXPECT_EQ(fromBytes({2}, half.elementType, bytes).reals, half.reals);
  EXPECT_EQ(roundTo(1.0 + 1.0 / 4096, half.elementType), 1.0);
  EXPECT_EQ(wrapTo(200, mlir::IntegerType::get(&context, 8)), -56);
}

} // namespace
