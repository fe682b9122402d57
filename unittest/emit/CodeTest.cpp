// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parentheses, layout, names and numbers of emitted Python.
#include "emit/Code.h"
#include "emit/Names.h"
#include "emit/Spelling.h"
#include "emit/Writer.h"

#include <gtest/gtest.h>

namespace nereid::emit {
namespace {

Code name(llvm::StringRef text) { return Code::text(text.str()); }
Code add(Code a, Code b) { return Code::binary("+", Binding::Add, a, b); }
Code sub(Code a, Code b) { return Code::binary("-", Binding::Add, a, b); }
Code mul(Code a, Code b) { return Code::binary("*", Binding::Multiply, a, b); }
Code less(Code a, Code b) { return Code::binary("<", Binding::Compare, a, b); }

TEST(Code, ParenthesesOnlyWhereNeeded) {
  Code a = name("a"), b = name("b"), c = name("c");
  EXPECT_EQ(add(mul(a, b), c).str(), "a * b + c");
  EXPECT_EQ(mul(add(a, b), c).str(), "(a + b) * c");
  EXPECT_EQ(sub(sub(a, b), c).str(), "a - b - c");
  EXPECT_EQ(sub(a, sub(b, c)).str(), "a - (b - c)");
  EXPECT_EQ(Code::binary("&", Binding::BitAnd, less(a, b), less(b, c)).str(), "(a < b) & (b < c)");
  EXPECT_EQ(Code::method(add(a, b), "to", {c}).str(), "(a + b).to(c)");
  EXPECT_EQ(Code::unary("~", Binding::Unary, less(a, b)).str(), "~(a < b)");
}

TEST(Code, ComparisonsNeverChain) {
  Code a = name("a"), b = name("b"), c = name("c");
  EXPECT_EQ(less(less(a, b), c).str(), "(a < b) < c");
}

TEST(Code, TupleOfOne) {
  EXPECT_EQ(Code::tuple({name("BLOCK")}).str(), "(BLOCK,)");
  EXPECT_EQ(Code::tuple({}).str(), "()");
}

TEST(Writer, OpensTheLastBracket) {
  std::string wide(39, 'x');
  Writer writer;
  writer.statement("y = ", Code::call("f", {name(wide), name("b"), name(wide)}));
  EXPECT_EQ(writer.str(), "y = f(\n    " + wide + ", b, " + wide + "\n)\n");
  Writer deep;
  Code last = Code::keyword("key", name("b"));
  deep.statement("", Code::call("f", {name(wide), name(wide), last}));
  EXPECT_EQ(deep.str(), "f(\n    " + wide + ",\n    " + wide + ",\n    key=b,\n)\n");
}

TEST(Writer, OpensWhatIsNegated) {
  Code a = name(std::string(39, 'x')), b = name(std::string(39, 'y'));
  Writer writer;
  writer.statement("if ",
                   Code::unary("not ", Binding::Not, Code::binary("and", Binding::And, a, b)), ":");
  EXPECT_EQ(writer.str(), "if not (\n    " + a.str() + " and " + b.str() + "\n):\n");
  Writer plain;
  plain.statement("if ", Code::unary("not ", Binding::Not, a), ":");
  EXPECT_EQ(plain.str(), "if not " + a.str() + ":\n");
}

TEST(Names, UniqueAndValid) {
  Names names;
  EXPECT_EQ(names.take("x"), "x");
  EXPECT_EQ(names.take("x"), "x_1");
  EXPECT_EQ(names.take("lambda"), "lambda_1");
  EXPECT_EQ(names.take("2nd item"), "_2nd_item");
  names.keepForUser("y");
  EXPECT_EQ(names.take("y"), "y_1");
  EXPECT_EQ(names.takeUserName("y"), "y");
}

TEST(Spelling, FloatsReadBackAsThemselves) {
  EXPECT_EQ(spellFloat(llvm::APFloat(0.1f)), "0.1");
  EXPECT_EQ(spellFloat(llvm::APFloat(1e-6f)), "1e-06");
  EXPECT_EQ(spellFloat(llvm::APFloat(-2.0f)), "-2.0");
  // 3.4028235e+38 is more than a float32 holds.
  EXPECT_EQ(spellFloat(llvm::APFloat(3.40282346638528859812e38f)), "3.4028234663852886e38");
  EXPECT_EQ(spellFloat(llvm::APFloat(0.1)), "0.1");
  EXPECT_EQ(spellFloat(llvm::APFloat::getInf(llvm::APFloat::IEEEsingle(), true)),
            "float(\"-inf\")");
  unsigned state = 1;
  for (int i = 0; i < 20000; ++i) {
    state = state * 1664525u + 1013904223u;
    float value;
    static_assert(sizeof value == sizeof state);
    memcpy(&value, &state, sizeof value);
    if (value != value || value - value != 0)
      continue;
    EXPECT_EQ(float(strtod(spellFloat(llvm::APFloat(value)).c_str(), nullptr)), value);
  }
}

} // namespace
} // namespace nereid::emit
