// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ReadExpr.h"

using namespace nereid::index;
using namespace nereid::index::test;

namespace {
class PrinterTest : public ReadExpr {
protected:
  std::string condition(llvm::StringRef text, Syntax syntax = Syntax::Python) {
    PrintOptions options;
    options.syntax = syntax;
    return toString(ReadExpr::condition(text), options);
  }
  std::string print(llvm::StringRef text, Syntax syntax, const Facts *facts = nullptr) {
    PrintOptions options;
    options.syntax = syntax;
    options.facts = facts;
    return toString(parse(text), options);
  }
  void expectError(llvm::StringRef text, llvm::StringRef message, size_t offset) {
    ParseError error;
    EXPECT_FALSE(parseExpr(text, context, error)) << text.str();
    EXPECT_EQ(error.message, message.str());
    EXPECT_EQ(error.offset, offset) << text.str();
  }
};
} // namespace

TEST_F(PrinterTest, PythonHasFewParentheses) {
  for (llvm::StringRef text : {"M - N + 1", "4 - M", "N * (M // 4)", "4 * (M // 4)", "(M + 1) // 4",
                               "M // (N * 4)", "-M", "-M - N", "-(M // 4)", "min(M, N) + 2", "M**5",
                               "M * M", "(M // 3)", "next_power_of_2(M) * N", "N - 3 * M"}) {
    std::string printed = parse(text).str();
    EXPECT_EQ(parse(printed), parse(text));
    EXPECT_LE(printed.size(), text.size()) << printed;
  }
}

TEST_F(PrinterTest, FunctionNamesAreOptions) {
  PrintOptions options;
  options.cdiv = "triton.cdiv";
  options.nextPow2 = "triton.next_power_of_2";
  EXPECT_EQ(toString(parse("cdiv(M, BLOCK) + next_power_of_2(N)"), options),
            "triton.cdiv(M, BLOCK) + triton.next_power_of_2(N)");
  options.cdiv = "";
  EXPECT_EQ(toString(parse("cdiv(M, 16)"), options), "(M + 15) // 16");
  options.symbolName = [](Expr symbol) { return "x.shape[" + symbol.getName().str() + "]"; };
  EXPECT_EQ(toString(parse("M * N"), options), "x.shape[M] * x.shape[N]");
  EXPECT_EQ(toString(parse("M + N"), {}, Binding::Multiply), "(M + N)");
}

TEST_F(PrinterTest, CDividesByHandWhereSignsAreUnknown) {
  EXPECT_EQ(print("M // 4 + N % 8", Syntax::C), "floordiv(M, 4) + floormod(N, 8)");
  Facts facts(context);
  facts.setRange(context.symbol("M"), Range::atLeast(0));
  EXPECT_EQ(print("M // 4 + N % 8", Syntax::C, &facts), "M / 4 + floormod(N, 8)");
  EXPECT_EQ(print("min(M, N, 4)", Syntax::C), "min(M, min(N, 4))");
}

TEST_F(PrinterTest, Mlir) {
  EXPECT_EQ(print("cdiv(M, 16) + N // 4 * 2 + N % 3", Syntax::Mlir),
            "2 * (N floordiv 4) + M ceildiv 16 + N mod 3");
}

TEST_F(PrinterTest, Predicates) {
  EXPECT_EQ(condition("M + 1 <= N"), "M < N");
  EXPECT_EQ(condition("M - N < 0 and D % 16 == 0"), "M < N and D % 16 == 0");
  EXPECT_EQ(condition("not (M < N or N == 3)"), "N <= M and N != 3");
  EXPECT_EQ(condition("0 <= i < M"), "i >= 0 and i < M");
  EXPECT_EQ(condition("2 * M >= 5"), "M >= 3");
  EXPECT_EQ(condition("M <= 4 || N != 0", Syntax::C), "M <= 4 || N != 0");
  EXPECT_EQ(condition("(M <= 4 || N != 0) && M == N"), "M == N and (M <= 4 or N != 0)");
  EXPECT_EQ(condition("M < M"), "False");
}

TEST_F(PrinterTest, ErrorsHavePlaces) {
  expectError("", "expected an expression, found the end", 0);
  expectError("M / 4", "'/' is not an integer operation; write '//'", 2);
  expectError("M + ", "expected an expression, found the end", 4);
  expectError("M ) 3", "expected the end of the expression", 2);
  expectError("foo(M)",
              "unknown function 'foo'; known are cdiv, floordiv, mod, min, max, next_power_of_2",
              0);
  expectError("cdiv(M)", "wrong number of arguments of 'cdiv'", 0);
  expectError("99999999999999999999", "integer does not fit in 64 bits", 0);
  expectError("M + (N < 3)", "expected an integer expression, found a condition", 4);
  expectError("M ** N", "expected a constant power between 0 and 64", 2);
  expectError(std::string(100000, '('), "expression is nested too deeply", 200);
  expectError(std::string(100000, '-') + "x", "expression is nested too deeply", 200);
}
