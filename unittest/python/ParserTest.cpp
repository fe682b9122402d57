// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ParseForTest.h"
#include "python/Literals.h"
#include "python/Printer.h"
#include "python/Unicode.h"

#include "gtest/gtest.h"

#include <cmath>

using namespace nereid;
using namespace nereid::python;

namespace {

TEST(Parser, NodesKnowTheirTextAndTokens) {
  std::string error;
  auto file = parseText("# about x\nx = (a +  # half\n     b)\n", error);
  ASSERT_TRUE(file) << error;
  auto *assign = llvm::cast<Assign>(file->getModule().body[0]);
  EXPECT_EQ(file->getText(*assign), "x = (a +  # half\n     b)");
  auto *sum = llvm::cast<BinOp>(assign->value);
  EXPECT_EQ(file->getText(*sum), "a +  # half\n     b");
  EXPECT_EQ(file->getText(file->tokens[sum->firstToken]), "a");
  EXPECT_EQ(file->getText(file->tokens[sum->lastToken]), "b");
  unsigned comments = 0;
  for (const Token &token : file->tokens)
    comments += token.kind == TokenKind::Comment;
  EXPECT_EQ(comments, 2u);
}

TEST(Parser, EqualNamesShareTheirText) {
  std::string error;
  auto file = parseText("alpha\nalpha\n", error);
  ASSERT_TRUE(file) << error;
  auto getName = [&](int i) {
    return llvm::cast<Name>(llvm::cast<ExprStmt>(file->getModule().body[i])->value)->id;
  };
  EXPECT_EQ(getName(0).data(), getName(1).data());
}

TEST(Parser, LineEndsOfAllKindsAreEqual) {
  std::string expected = dumpText("if x:\n  a = '''1\n2'''\nb\n", true);
  EXPECT_EQ(dumpText("if x:\r\n  a = '''1\r\n2'''\r\nb\r\n", true), expected);
  EXPECT_EQ(dumpText("if x:\r  a = '''1\r2'''\rb\r", true), expected);
}

TEST(Parser, EmptyFilesAreModules) {
  for (const char *text : {"", "\n", "   ", "# c", "\\\n\n", "\xef\xbb\xbf"})
    EXPECT_EQ(dumpText(text), "Module(body=[], type_ignores=[])") << text;
}

TEST(Parser, NamesAreNormalized) {
  EXPECT_EQ(normalizeIdentifier("\xc2\xb5"), "\xce\xbc");                     // micro sign
  EXPECT_EQ(normalizeIdentifier("\xef\xac\x81x"), "fix");                     // ligature
  EXPECT_EQ(normalizeIdentifier("e\xcc\x81"), "\xc3\xa9");                    // e and accent
  EXPECT_EQ(normalizeIdentifier("\xe1\x84\x80\xe1\x85\xa1"), "\xea\xb0\x80"); // Hangul
}

Constant readNumberText(const char *text, llvm::BumpPtrAllocator &arena) {
  Constant constant;
  EXPECT_FALSE(readNumber(text, arena, constant)) << text;
  return constant;
}

TEST(Literals, Integers) {
  llvm::BumpPtrAllocator arena;
  EXPECT_EQ(readNumberText("1_000", arena).getInt64(), 1000);
  EXPECT_EQ(readNumberText("0xFF_ff", arena).getInt64(), 65535);
  EXPECT_EQ(readNumberText("0b101", arena).getInt64(), 5);
  EXPECT_EQ(readNumberText("0o17", arena).getInt64(), 15);
  EXPECT_EQ(readNumberText("00_0", arena).getInt64(), 0);
  EXPECT_EQ(readNumberText("9223372036854775807", arena).getInt64(), INT64_MAX);
  Constant big = readNumberText("0xffffffffffffffffff", arena);
  EXPECT_EQ(big.getInt64(), std::nullopt);
  EXPECT_EQ(big.getDecimal(), "4722366482869645213695");
  EXPECT_EQ(big.getInt().getActiveBits(), 72u);
}

TEST(Literals, FloatsReadAndPrintAsPythonDoes) {
  llvm::BumpPtrAllocator arena;
  const std::pair<const char *, const char *> cases[] = {
      {"1.", "1.0"},
      {".5", "0.5"},
      {"1e5", "100000.0"},
      {"1e16", "1e+16"},
      {"1e15", "1000000000000000.0"},
      {"1e-4", "0.0001"},
      {"1e-5", "1e-05"},
      {"0.1", "0.1"},
      {"1_0.5_0", "10.5"},
      {"1e400", "inf"},
      {"1e-400", "0.0"},
      {"5e-324", "5e-324"},
      {"123456789012345678.0", "1.2345678901234568e+17"}};
  for (auto [text, printed] : cases)
    EXPECT_EQ(formatFloat(readNumberText(text, arena).number), printed) << text;
  EXPECT_EQ(formatImaginary(readNumberText("1j", arena).number), "1j");
  EXPECT_EQ(formatImaginary(readNumberText("1.5e20J", arena).number), "1.5e+20j");
  // Digits alone can overflow, and zeros can make up for an exponent.
  EXPECT_TRUE(std::isinf(readNumberText((std::string(400, '9') + ".").c_str(), arena).number));
  std::string small = "0." + std::string(400, '0') + "1e401";
  EXPECT_EQ(readNumberText(small.c_str(), arena).number, 1.0);
}

TEST(Literals, Strings) {
  auto decode = [](llvm::StringRef body, bool bytes = false) {
    std::string value;
    EXPECT_FALSE(decodeString(body, /*raw=*/false, bytes, /*braces=*/false, value));
    return value;
  };
  EXPECT_EQ(decode("\\x41\\101\\n\\q\\\n."), "AA\n\\q.");
  EXPECT_EQ(decode("\\u00e9\\U0001F600\\N{latin small letter a}"), "\xc3\xa9\xf0\x9f\x98\x80"
                                                                   "a");
  EXPECT_EQ(decode("\\ud800"), "\xed\xa0\x80");
  EXPECT_EQ(decode("\\xff\\777\\u", true), "\xff\xff\\u");
  EXPECT_EQ(formatString("it's \xed\xa0\x80\n\xc2\xa0"), "\"it's \\ud800\\n\\xa0\"");
  EXPECT_EQ(formatString("a", '"'), "\"a\"");
  EXPECT_EQ(formatBytes(llvm::StringRef("\0'\"\xff", 4)), "b'\\x00\\'\"\\xff'");
}

TEST(Printer, KeepsTheTree) {
  for (const char *text :
       {"x = (a + b) * -c ** -d",
        "(a, b), *c = yield",
        "f(*a, b=1, **c)",
        "x[1:2, ::3, ...]",
        "x[a,]",
        "x[()]",
        "(1).real",
        "1.5.real",
        "not (a and (b or c))",
        "(a if b else c)(d)",
        "lambda a, /, b=1, *, c, **d: (yield)",
        "(lambda: 1) if (a if b else c) else d",
        "with (a, b): pass",
        "with ((a, b)): pass",
        "with (a, b) as c, d: pass",
        "with (yield): pass",
        "(x): int = 1",
        "del (a), (b, c)",
        "a < (b < c) < d",
        "(await a)**b",
        "async def f():\n  async with a: await b\n  async for c in d: [e async for e in f]",
        "try: pass\nexcept* (A, B) as c: pass\nelse: pass\nfinally: pass",
        "match a, *b:\n  case [1, *_] | {'a': -1+2j, **r} | A(b, c=(d | e) as f) if g: pass\n"
        "  case None | a.b: pass\n  case ((x as y) as z): pass",
        "f'{x!r:>{w}}{{}}{y=}' 'z'",
        "f'{ {1: 2}[1] }{(lambda: 1)()}{lambda_}'",
        "f\"{a['b']}{c[\"d\"]}\"",
        "f'{x:\\x7b}'",
        "u'a' f'b'",
        "b'\\xff' rb'\\d'",
        "1e999 + 1e999j",
        "type X[T: int, *Ts, **P] = T",
        "@a.b(c)\nclass A[T](B, metaclass=C, *D): x: int",
        "print((yield), (x := 1), (*a, b))",
        "from .. import a as b, c\nfrom ...a.b import *",
        "global a, b",
        "raise a from b",
        "if a: pass\nelif b: pass\nelse: pass",
        "x = a if b else (c, d)",
        "{**a, 'b': c}",
        "{*a, b}",
        "{a: b for a, b in c if d if e}",
        "x = (a for b in (c if d else e))",
        "return_ = not -x",
        "def f(a: int = 1, *b: *c, d: e, **g) -> h: return *i, j"}) {
    std::string error;
    auto file = parseText(text, error);
    ASSERT_TRUE(file) << text << '\n' << error;
    std::string printed;
    llvm::raw_string_ostream os(printed);
    printModule(file->getModule(), os);
    EXPECT_EQ(dumpText(printed), dumpText(text)) << printed;
  }
}

TEST(Printer, LaysOutExpressions) {
  auto print = [](const char *text) {
    std::string error;
    auto file = parseText(text, error);
    EXPECT_TRUE(file) << error;
    return printExpr(*llvm::cast<ExprStmt>(file->getModule().body[0])->value);
  };
  EXPECT_EQ(print("a+b*( c-d )"), "a + b * (c - d)");
  EXPECT_EQ(print("x [ a+1: , :b ]"), "x[a + 1 :, :b]");
  EXPECT_EQ(print("d ** -0.5"), "d**-0.5");
  EXPECT_EQ(print("f(a)**2"), "f(a) ** 2");
  EXPECT_EQ(print("f( 'a',b = 0X_Ff )"), "f(\"a\", b=0xFF)");
  EXPECT_EQ(print("sum(x for x in y)"), "sum(x for x in y)");
}

} // namespace
