// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sym/SymDialect.h"

#include "mlir/AsmParser/AsmParser.h"

#include "gtest/gtest.h"

using namespace mlir;
using namespace nereid;
using namespace nereid::sym;

namespace {
class SymTest : public ::testing::Test {
protected:
  SymTest() { context.loadDialect<SymDialect>(); }
  std::string roundTrip(StringRef text) {
    Attribute attr = parseAttribute(text, &context);
    if (!attr)
      return "<error>";
    std::string printed;
    llvm::raw_string_ostream(printed) << attr;
    EXPECT_EQ(parseAttribute(printed, &context), attr) << printed;
    return printed;
  }
  std::string errorOf(StringRef text) {
    std::string message;
    ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &diagnostic) {
      message = diagnostic.str();
      return success();
    });
    EXPECT_FALSE(parseAttribute(text, &context));
    return message;
  }
  MLIRContext context;
};
} // namespace

TEST_F(SymTest, PolynomialsAreBare) {
  EXPECT_EQ(roundTrip("#sym.expr<4*D>"), "#sym.expr<4*D>");
  EXPECT_EQ(roundTrip("#sym.expr<M * 2*M - 3 + N>"), "#sym.expr<2*M*M + N - 3>");
  EXPECT_EQ(roundTrip("#sym.expr<-i + N>"), "#sym.expr<N - i>");
  EXPECT_EQ(roundTrip("#sym.expr<-7>"), "#sym.expr<-7>");
  EXPECT_EQ(roundTrip("#sym.expr<\"-2*M\">"), "#sym.expr<-2*M>");
}

TEST_F(SymTest, TheRestIsQuoted) {
  EXPECT_EQ(roundTrip("#sym.expr<\"-(-M//4)\">"), "#sym.expr<\"cdiv(M, 4)\">");
  EXPECT_EQ(roundTrip("#sym.list<[B, \"T//2\", 4*D, 1]>"), "#sym.list<[B, \"T // 2\", 4*D, 1]>");
  EXPECT_EQ(roundTrip("#sym.list<[]>"), "#sym.list<[]>");
  EXPECT_EQ(roundTrip("#sym.pred<\"M < N and D % 16 == 0\">"),
            "#sym.pred<\"M < N and D % 16 == 0\">");
}

TEST_F(SymTest, EqualExpressionsAreEqualAttributes) {
  index::Context &exprs = SymDialect::getIndexContext(&context);
  index::Expr m = exprs.symbol("M");
  EXPECT_EQ(ExprAttr::get(&context, m + m), ExprAttr::get(&context, 2 * m));
  EXPECT_EQ(parseAttribute("#sym.expr<\"M + M\">", &context), ExprAttr::get(&context, 2 * m));
}

TEST_F(SymTest, ErrorsSayWhatIsWrong) {
  EXPECT_EQ(errorOf("#sym.expr<\"M / 4\">"), "'/' is not an integer operation; write '//'");
  EXPECT_EQ(errorOf("#sym.expr<*>"), "expected a size: a name, an integer or a string");
  EXPECT_EQ(errorOf("#sym.pred<M>"), "expected a condition as a string");
}
