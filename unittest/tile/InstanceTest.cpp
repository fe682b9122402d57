// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tile/Instance.h"

#include "tile/Combiner.h"
#include "tile/Libdevice.h"
#include "tile/TileTypes.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace nereid::tile;

namespace {

struct Fixture : testing::Test {
  Fixture() {
    context.loadDialect<arith::ArithDialect, math::MathDialect, scf::SCFDialect, func::FuncDialect,
                        TileDialect>();
  }

  func::FuncOp parse(StringRef text) {
    module = parseSourceString<ModuleOp>(text, &context);
    EXPECT_TRUE(module);
    return *module->getOps<func::FuncOp>().begin();
  }

  ConfigAttr config(std::initializer_list<std::pair<StringRef, int64_t>> values) {
    NamedAttrList list;
    for (auto [name, value] : values)
      list.set(name, Builder(&context).getI64IntegerAttr(value));
    return ConfigAttr::get(&context, list.getDictionary(&context), 8, 2);
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

const char *kernelText = R"(
func.func @k(%n: i32) attributes {tile.kernel, tile.meta = ["BLOCK"]} {
  %b = tile.meta "BLOCK" = 4 : i32
  %r = tile.range 0 : tensor<8xi32, #tile.dims<["2 * BLOCK"]>>
  %z = arith.constant dense<7> : tensor<8xi32, #tile.dims<["2 * BLOCK"]>>
  %s = scf.for %i = %b to %n step %b iter_args(%x = %r) -> tensor<8xi32, #tile.dims<["2 * BLOCK"]>> : i32 {
    %y = arith.addi %x, %z : tensor<8xi32, #tile.dims<["2 * BLOCK"]>>
    scf.yield %y : tensor<8xi32, #tile.dims<["2 * BLOCK"]>>
  }
  return
})";

TEST_F(Fixture, InstanceRewritesNumbersOnly) {
  func::FuncOp kernel = parse(kernelText);
  FailureOr<OwningOpRef<func::FuncOp>> instance = cloneInstance(kernel, config({{"BLOCK", 32}}));
  ASSERT_TRUE(succeeded(instance));
  std::string text;
  llvm::raw_string_ostream os(text);
  (*instance)->print(os);
  EXPECT_NE(text.find("tile.meta \"BLOCK\" = 32 : i32"), std::string::npos) << text;
  EXPECT_NE(text.find("dense<7> : tensor<64xi32, #tile.dims<[\"2 * BLOCK\"]>>"), std::string::npos)
      << text;
  EXPECT_EQ(text.find("tensor<8x"), std::string::npos) << text;
  EXPECT_NE(text.find("#tile.config<{BLOCK = 32 : i64}, 8, 2>"), std::string::npos) << text;
  EXPECT_TRUE(succeeded(verify(kernel)));
}

TEST_F(Fixture, InstanceWithoutAValueIsRefused) {
  func::FuncOp kernel = parse(kernelText);
  std::string message;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    message = diagnostic.str();
    return success();
  });
  EXPECT_TRUE(failed(cloneInstance(kernel, config({{"SIZE", 32}}))));
  EXPECT_EQ(message, "the configuration has no integer 'BLOCK'");
  EXPECT_TRUE(failed(cloneInstance(kernel, config({{"BLOCK", 3}}))));
  EXPECT_EQ(message, "'tile.range' op c2: extent must be a power of two, found 6");
}

TEST_F(Fixture, LaunchMetaWinsOverTheConfiguration) {
  func::FuncOp kernel = parse("func.func @k() attributes {tile.kernel, tile.configs = "
                              "[#tile.config<{A = 1 : i64, B = 2 : i64}, 8, 5>]} { return }");
  Builder builder(&context);
  ConfigAttr merged = getConfig(
      kernel, builder.getDictionaryAttr(builder.getNamedAttr("B", builder.getI64IntegerAttr(9))));
  EXPECT_EQ(merged.getValues().getAs<IntegerAttr>("A").getInt(), 1);
  EXPECT_EQ(merged.getValues().getAs<IntegerAttr>("B").getInt(), 9);
  EXPECT_EQ(merged.getNumWarps(), 8);
}

// Every combiner is recognised in the region that is built for it.
TEST_F(Fixture, CombinersRoundTrip) {
  parse("func.func @k() { return }");
  Type f32 = Float32Type::get(&context), i32 = IntegerType::get(&context, 32);
  auto check = [&](Combiner kind, ArrayRef<Type> elements) {
    Region region;
    buildCombiner(region, kind, elements, UnknownLoc::get(&context));
    EXPECT_EQ(getCombiner(region), kind);
  };
  for (Combiner kind : {Combiner::Sum, Combiner::Prod, Combiner::Max, Combiner::Min,
                        Combiner::MaxNum, Combiner::MinNum})
    check(kind, {f32});
  for (Combiner kind : {Combiner::Sum, Combiner::Prod, Combiner::SMax, Combiner::SMin,
                        Combiner::UMax, Combiner::UMin, Combiner::And, Combiner::Or, Combiner::Xor})
    check(kind, {i32});
  for (Combiner kind : {Combiner::ArgMax, Combiner::ArgMin}) {
    check(kind, {f32, i32});
    check(kind, {i32, i32});
  }
}

TEST_F(Fixture, Types) {
  Type tile = parseType("tensor<4x8xf32, #tile.dims<[\"M\", \"\"]>>", &context);
  EXPECT_EQ(getDimName(tile, 0), "M");
  EXPECT_EQ(getDimName(tile, 1), "");
  EXPECT_EQ(withElementType(tile, IntegerType::get(&context, 1)),
            parseType("tensor<4x8xi1, #tile.dims<[\"M\", \"\"]>>", &context));
  auto pointer = cast<PtrType>(parseType("!tile.ptr<ui8>", &context));
  EXPECT_EQ(getPointeeValueType(pointer), IntegerType::get(&context, 8));
  EXPECT_EQ(getPointeeBytes(cast<PtrType>(parseType("!tile.ptr<i1>", &context))), 1u);
  EXPECT_EQ(getTileType(Float32Type::get(&context), {4, 8}, {"M", ""}), tile);
}

TEST(Libdevice, TableIsSortedAndSearched) {
  llvm::ArrayRef<LibdeviceFunction> all = getLibdeviceFunctions();
  EXPECT_TRUE(llvm::is_sorted(all, [](const auto &a, const auto &b) { return a.name < b.name; }));
  for (const LibdeviceFunction &function : all)
    EXPECT_EQ(findLibdeviceFunction(function.name), &function);
  EXPECT_EQ(findLibdeviceFunction("gelu"), nullptr);
}

} // namespace
