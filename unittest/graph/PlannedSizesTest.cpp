// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "graph/PlannedSizes.h"

#include "graph/GraphDialect.h"
#include "sym/SymDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

namespace nereid::graph {
namespace {

class PlannedSizesTest : public testing::Test {
protected:
  PlannedSizesTest() {
    context.loadDialect<GraphDialect, sym::SymDialect, mlir::func::FuncDialect>();
  }

  /// The planned size of each hinted one, `M=64 N=7`; empty where the hinted ones are kept.
  std::string plan(const std::string &arguments, const std::string &hints,
                   const std::string &check = "") {
    std::string text =
        "func.func @f(" + arguments +
        ") attributes {graph.program, graph.result = \"None\", graph.hints = {" + hints + "}} {\n" +
        (check.empty() ? "" : "graph.check <\"" + check + "\">, \"refused\"\n") + "return\n}";
    module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    auto program = *module->getOps<mlir::func::FuncOp>().begin();
    planSizes(program);
    auto planned = program->getAttrOfType<mlir::DictionaryAttr>("graph.planned");
    std::string spelled;
    for (mlir::NamedAttribute size :
         planned ? planned.getValue() : llvm::ArrayRef<mlir::NamedAttribute>())
      spelled += (spelled.empty() ? "" : " ") + size.getName().str() + "=" +
                 std::to_string(llvm::cast<mlir::IntegerAttr>(size.getValue()).getInt());
    return spelled;
  }

  static std::string argument(const std::string &name, const std::string &sizes) {
    return "%" + name + ": !graph.tensor<[" + sizes + "] x f32> {graph.name = \"" + name + "\"}";
  }

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

TEST_F(PlannedSizesTest, AllGrowByOnePowerOfTwo) {
  EXPECT_EQ(plan(argument("x", "M, N"), "M = 3 : i64, N = 7 : i64"), "M=1536 N=3584");
}

TEST_F(PlannedSizesTest, LargeInputsAreMeant) {
  EXPECT_EQ(plan(argument("x", "M, N"), "M = 256 : i64, N = 256 : i64"), "");
}

TEST_F(PlannedSizesTest, ChannelsAndCoordinatesStay) {
  EXPECT_EQ(plan(argument("x", "B, C, H"), "B = 2 : i64, C = 3 : i64, H = 8 : i64"),
            "B=1024 C=3 H=4096");
  EXPECT_EQ(plan(argument("x", "B, N"), "B = 10 : i64, N = 4 : i64"), "B=1310720 N=4");
}

TEST_F(PlannedSizesTest, SizesOfOneStay) {
  EXPECT_EQ(plan(argument("x", "M, N"), "M = 1 : i64, N = 1024 : i64"), "M=1 N=4194304");
}

TEST_F(PlannedSizesTest, ASingleAxisGrows) {
  EXPECT_EQ(plan(argument("x", "N"), "N = 3 : i64"), "N=6291456");
}

TEST_F(PlannedSizesTest, EmptyInputsStay) {
  EXPECT_EQ(plan(argument("x", "M, N"), "M = 0 : i64, N = 7 : i64"), "");
}

TEST_F(PlannedSizesTest, WhatAChecksBoundsStays) {
  EXPECT_EQ(plan(argument("x", "M, N"), "M = 32 : i64, N = 16 : i64", "N <= 16"), "M=262144 N=16");
  EXPECT_EQ(plan(argument("x", "M, N"), "M = 32 : i64, N = 16 : i64", "M - N >= 1"),
            "M=4096 N=2048");
  EXPECT_EQ(plan(argument("x", "N"), "N = 16 : i64", "N <= 16"), "");
}

} // namespace
} // namespace nereid::graph
