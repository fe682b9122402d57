// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ParseForTest.h"
#include "python/Printer.h"

#include "gtest/gtest.h"

using namespace nereid;
using namespace nereid::python;

namespace {

struct Rejected {
  const char *source;
  const char *error;
};

// CPython rejects each of these too, at the same line and, with few exceptions, at the same column.
const Rejected rejected[] = {
    {"x = \n", "1:4: expected an expression, found end of line"},
    {"f(a=1, 2)\n", "1:7: a positional argument follows a keyword argument"},
    {"f(**k, 2)\n", "1:7: a positional argument follows a '**' argument"},
    {"f(**k, *a)\n", "1:7: a positional '*' argument follows a '**' argument"},
    {"f(1=2)\n", "1:2: the name of an argument cannot be a literal"},
    {"f(a.b=2)\n", "1:2: the name of an argument cannot be an attribute"},
    {"f(True=1)\n", "1:2: the name of an argument cannot be True"},
    {"f(x for x in y, 1)\n", "1:2: a generator beside other arguments needs parentheses"},
    {"f(1, x for x in y)\n", "1:5: a generator beside other arguments needs parentheses"},
    {"f(a=)\n", "1:2: expected the value of an argument behind '='"},
    {"1 = x\n", "1:0: cannot assign to a literal"},
    {"f() = 1\n", "1:0: cannot assign to a function call"},
    {"None = 1\n", "1:0: cannot assign to None"},
    {"a + 1 = b\n", "1:0: cannot assign to an expression"},
    {"(a, f()) = 1\n", "1:4: cannot assign to a function call"},
    {"[a, 1] = b\n", "1:4: cannot assign to a literal"},
    {"x = 1 = y\n", "1:4: cannot assign to a literal"},
    {"(yield) = 1\n", "1:1: cannot assign to a yield expression"},
    {"... = 1\n", "1:0: cannot assign to '...'"},
    {"{} = 1\n", "1:0: cannot assign to a dictionary"},
    {"f\"{x}\" = 1\n", "1:0: cannot assign to an f-string"},
    {"lambda: 1 = 2\n", "1:0: cannot assign to a lambda"},
    {"a if b else c = 1\n", "1:0: cannot assign to a conditional expression"},
    {"x, y += 1\n", "1:0: an augmented assignment cannot have a tuple as its target"},
    {"f() += 1\n", "1:0: an augmented assignment cannot have a function call as its target"},
    {"(a, b): int\n", "1:0: only a single target can be annotated, found a tuple"},
    {"[a]: int\n", "1:0: only a single target can be annotated, found a list"},
    {"f(): int\n", "1:0: cannot annotate a function call"},
    {"del f()\n", "1:4: cannot delete a function call"},
    {"del (a, 1)\n", "1:8: cannot delete a literal"},
    {"del *a\n", "1:4: cannot delete a starred expression"},
    {"del a + b\n", "1:4: cannot delete an expression"},
    {"for f() in x: pass\n", "1:4: cannot assign to a function call"},
    {"for 1 in x: pass\n", "1:4: cannot assign to a literal"},
    {"[x for 1 in y]\n", "1:7: cannot assign to a literal"},
    {"[*x for x in y]\n", "1:1: an element of a comprehension cannot be unpacked with '*'"},
    {"{**x for x in y}\n", "1:1: a dictionary comprehension cannot unpack with '**'"},
    {"with a as f(): pass\n", "1:10: cannot assign to a function call"},
    {"with a as 1: pass\n", "1:10: cannot assign to a literal"},
    {"(x := 1) = 2\n", "1:1: cannot assign to a named expression"},
    {"x.y := 1\n", "1:4: ':=' cannot stand in a statement of its own"},
    {"(x.y := 1)\n", "1:1: ':=' cannot assign to an attribute"},
    {"(1 := 2)\n", "1:1: ':=' cannot assign to a literal"},
    {"if x = 1: pass\n", "1:3: '=' cannot be used in an expression"},
    {"if f() = 1: pass\n", "1:3: cannot assign to a function call here"},
    {"while x = 3: pass\n", "1:6: '=' cannot be used in an expression"},
    {"def f(a=1, b): pass\n", "1:11: a parameter without a default follows one with a default"},
    {"def f(*): pass\n", "1:6: a parameter must follow the bare '*'"},
    {"def f(*, **k): pass\n", "1:6: a parameter must follow the bare '*'"},
    {"def f(**k, a): pass\n", "1:11: no parameter can follow the '**' parameter"},
    {"def f(*a, *b): pass\n", "1:10: '*' can stand only once among the parameters"},
    {"def f(a, /, b, /): pass\n", "1:15: '/' can stand only once among the parameters"},
    {"def f(/): pass\n", "1:6: at least one parameter must stand before '/'"},
    {"def f(*, a, /): pass\n", "1:12: '/' must stand before '*'"},
    {"def f(*a=1): pass\n", "1:8: the '*' parameter cannot have a default"},
    {"def f(**k=1): pass\n", "1:9: the '**' parameter cannot have a default"},
    {"def f((a)): pass\n", "1:6: a parameter cannot stand in parentheses"},
    {"def f(a=): pass\n", "1:7: expected the default value of a parameter"},
    {"lambda *: 1\n", "1:7: a parameter must follow the bare '*'"},
    {"lambda a=1, b: 1\n", "1:12: a parameter without a default follows one with a default"},
    {"lambda (a): 1\n", "1:7: the parameters of a lambda cannot stand in parentheses"},
    {"import a as b.c\n", "1:13: expected the end of the statement, found '.'"},
    {"from a import b,\n",
     "1:16: a comma at the end of an import needs parentheses around the names"},
    {"from a import (b\n", "1:14: '(' is never closed"},
    {"from . import\n", "1:13: expected name, found end of line"},
    {"import a.\n", "1:9: expected name, found end of line"},
    {"try: pass\nexcept A, B: pass\n", "2:7: several exception types need parentheses"},
    {"x = (1, 2\n", "1:4: '(' is never closed"},
    {"x = [1, 2)\n", "1:9: ')' does not match the opening '['"},
    {"x = 1)\n", "1:5: ')' closes nothing"},
    {"x = 'abc\n", "1:4: string is never closed (read for 1 lines)"},
    {"x = \"\"\"abc\n", "1:4: triple-quoted string is never closed (read for 2 lines)"},
    {"x = 0777\n", "1:4: a decimal integer cannot start with zeros"},
    {"x = 0x\n", "1:5: invalid hexadecimal literal"},
    {"x = 0b12\n", "1:7: invalid digit '2' in binary literal"},
    {"x = 1__0\n", "1:5: invalid decimal literal"},
    {"x = 1_\n", "1:5: invalid decimal literal"},
    {"x = 12abc\n", "1:5: invalid decimal literal"},
    {"x = 0o8\n", "1:6: invalid digit '8' in octal literal"},
    {"x = 1e+\n", "1:6: invalid decimal literal"},
    {"x = $\n", "1:4: expected an expression, found '$'"},
    {"x = a ? b\n", "1:6: expected the end of the statement, found '?'"},
    {"x = b'é'\n", "1:4: bytes can hold only ASCII characters"},
    {"x = b'a' 'b'\n", "1:9: bytes and strings cannot be mixed"},
    {"x = '\\x1'\n", "1:5: truncated escape, expected \\xXX"},
    {"x = '\\N{no such name}'\n", "1:5: unknown Unicode character name 'no such name'"},
    {"x = '\\U00110000'\n", "1:5: the escape names no Unicode character, the last is \\U0010ffff"},
    {"x = '\\u12'\n", "1:5: truncated escape, expected \\uXXXX"},
    {"class A: \n", "1:9: expected an indented block behind the class definition on line 1"},
    {"if x pass\n", "1:5: expected ':', found 'pass'"},
    {"if x:\n", "1:5: expected an indented block behind 'if' on line 1"},
    {"else: pass\n", "1:0: expected a statement, found 'else'"},
    {"return return\n", "1:7: expected the end of the statement, found 'return'"},
    {"print x\n", "1:0: 'print' is a function, found an expression behind it"},
    {"exec \"x\"\n", "1:0: 'exec' is a function, found an expression behind it"},
    {"a b\n", "1:2: expected the end of the statement, found 'b'"},
    {"(a b)\n", "1:1: two expressions follow each other"},
    {"[1 2]\n", "1:1: two expressions follow each other"},
    {"{1: }\n", "1:2: expected an expression behind ':' in a dictionary"},
    {"{1: 2, 3}\n", "1:8: expected ':' behind the key of a dictionary, found '}'"},
    {"{1: *a}\n", "1:4: cannot unpack with '*' in the value of a dictionary"},
    {"{**a: 1}\n", "1:4: expected ',' or '}', found ':'"},
    {"(*a)\n", "1:1: cannot unpack with '*' here"},
    {"(**a)\n", "1:1: cannot unpack with '**' here"},
    {"x if y\n", "1:0: expected 'else' after the 'if' expression"},
    {"(x if y)\n", "1:1: expected 'else' after the 'if' expression"},
    {"not\n", "1:3: expected an expression, found end of line"},
    {"async x\n", "1:6: expected 'def', 'for' or 'with' behind 'async', found 'x'"},
    {"await\n", "1:5: expected an expression, found end of line"},
    {"async with a as 1: pass\n", "1:16: cannot assign to a literal"},
    {"raise from x\n", "1:6: expected the end of the statement, found 'from'"},
    {"assert\n", "1:6: expected an expression, found end of line"},
    {"global 1\n", "1:7: expected name, found '1'"},
    {"nonlocal a.b\n", "1:10: expected the end of the statement, found '.'"},
    {"yield = 1\n", "1:0: cannot assign to a yield expression"},
    {"x = yield = 1\n", "1:4: cannot assign to a yield expression"},
    {"match x: pass\n", "1:6: expected the end of the statement, found 'x'"},
    {"@\n", "1:1: expected an expression, found end of line"},
    {"@a\n", "2:0: expected 'def' or 'class' behind a decorator, found end of file"},
    {"x \\ y\n", "1:3: unexpected character after a backslash at the end of a line"},
    {" x = 1\n", "1:0: unexpected indentation"},
    {"x = 1 +\n", "1:7: expected an expression, found end of line"},
    {"a <> b\n", "1:2: expected the end of the statement, found '<>'"},
    {"i++\n", "1:3: expected an expression, found end of line"},
    {"x = {a, b: c}\n", "1:9: expected ',' or '}', found ':'"},
    {"class A:\n    def f(self):\n    pass\n",
     "3:4: expected an indented block behind the function definition on line 2"},
    {"if x:\n        a\n    b\n", "3:4: the indentation matches no outer block"},
    {"if x:\n\ta\n        b\n", "3:8: inconsistent use of tabs and blanks in indentation"},
    {"x = 1\n  y = 2\n", "2:1: unexpected indentation"},
    {"def f():\npass\n",
     "2:0: expected an indented block behind the function definition on line 1"},
    {"for x in y:\nz\n", "2:0: expected an indented block behind 'for' on line 1"},
    {"x = (\n  1,\n  2\ny = 3\n", "1:4: '(' is never closed"},
    {"match x:\n    case _ as _: pass\n", "2:14: '_' cannot be bound by a pattern"},
    {"match x:\n    case a as b.c: pass\n",
     "2:14: a pattern can bind only a name, found an attribute"},
    {"match x:\n    case A(b=1, c): pass\n",
     "2:16: a positional pattern follows a keyword pattern"},
    {"match x:\n    case 1j + 2: pass\n", "2:9: expected a real number before the imaginary part"},
    {"match x:\n    case {**rest, \"a\": 1}: pass\n", "2:18: expected '}', found string"},
    {"match x:\n    case {**_}: pass\n", "2:12: expected a name other than '_', found '_'"},
    {"match x:\n    case *a: pass\n", "2:11: expected ',', found ':'"},
    {"match x:\n    case a.b as 1: pass\n",
     "2:16: a pattern can bind only a name, found a literal"},
    {"match x:\n    pass\n", "2:4: expected 'case', found 'pass'"},
    {"try:\n    pass\nx = 1\n", "3:0: expected 'except' or 'finally' behind the block of 'try'"},
    {"try: pass\nexcept A: pass\nexcept* B: pass\n",
     "3:0: 'except' and 'except*' cannot be mixed in one 'try'"},
    {"try: pass\nexcept*: pass\n", "2:7: expected the types of exceptions, found ':'"},
    {"while x:\n  a\n b\n", "3:1: the indentation matches no outer block"},
    {"@a\nx = 1\n", "2:0: expected 'def' or 'class' behind a decorator, found 'x'"},
    {"class A(x for x in y): pass\n", "1:10: expected ',' or ')', found 'for'"},
    {"x = [\n", "1:4: '[' is never closed"},
    {"x = \"\"\"a\nb\n", "1:4: triple-quoted string is never closed (read for 3 lines)"},
    {"if 1:\n  pass\nelif:\n  pass\n", "3:4: expected an expression, found ':'"},
    {"\n\n  \nx y\n", "4:2: expected the end of the statement, found 'y'"},
    {"x = \\\n", "1:4: unexpected end of file after a backslash"},
};

class RejectedTest : public testing::TestWithParam<Rejected> {};

TEST_P(RejectedTest, HasPlaceAndReason) {
  EXPECT_EQ(dumpText(GetParam().source), GetParam().error);
}

INSTANTIATE_TEST_SUITE_P(Parser, RejectedTest, testing::ValuesIn(rejected));

std::string repeat(const std::string &text, int count) {
  std::string result;
  while (count--)
    result += text;
  return result;
}

TEST(ParserDepth, IsBounded) {
  const char *deep = "the nesting is too deep";
  EXPECT_NE(dumpText(repeat("-", 100000) + "1").find(deep), std::string::npos);
  EXPECT_NE(dumpText(repeat("not ", 100000) + "1").find(deep), std::string::npos);
  EXPECT_NE(dumpText(repeat("lambda: ", 100000) + "1").find(deep), std::string::npos);
  EXPECT_NE(dumpText(repeat("1 ** ", 100000) + "1").find(deep), std::string::npos);
  EXPECT_NE(dumpText(repeat("1 if 1 else ", 100000) + "1").find(deep), std::string::npos);
  EXPECT_NE(dumpText("if 1: pass\n" + repeat("elif 1: pass\n", 100000)).find(deep),
            std::string::npos);
  EXPECT_EQ(dumpText(repeat("(", 300)), "1:200: too many nested parentheses");
  EXPECT_EQ(dumpText(repeat("f'{", 250)).substr(0, 6), "1:450:");
}

TEST(ParserDepth, ChainsAreBoundedWhereverTheyStand) {
  std::string chain = "a" + repeat(".a", 100000);
  for (std::string text : {chain, "if " + chain + ": pass", "for " + chain + " in x: pass",
                           "@" + chain + "\ndef f(): pass", "*" + chain + ", b",
                           "f'{" + chain + "}'", "match x:\n case " + chain + ": pass",
                           "x = " + repeat("1 + ", 100000) + "1", "def f(a=" + chain + "): pass"})
    EXPECT_NE(dumpText(text).find("too deep"), std::string::npos) << text.substr(0, 40);
}

TEST(ParserDepth, WhatPeopleWriteIsRead) {
  EXPECT_EQ(dumpText("x = " + repeat("1 + ", 900) + "1").substr(0, 7), "Module(");
  EXPECT_EQ(dumpText("x = [" + repeat("1, ", 100000) + "]").substr(0, 7), "Module(");
  EXPECT_EQ(dumpText(repeat("(", 190) + "1" + repeat(")", 190)).substr(0, 7), "Module(");
  EXPECT_EQ(dumpText("if 1: pass\n" + repeat("elif 1: pass\n", 500)).substr(0, 7), "Module(");
}

TEST(ParserDepth, TheDeepestTreesCanBeWalked) {
  for (std::string text :
       {repeat("-", 980) + "1", "a" + repeat(".a", 1990), repeat("not ", 980) + "1",
        "x = " + repeat("1 + ", 1990) + "1", repeat("lambda: ", 980) + "1",
        "if 1: pass\n" + repeat("elif 1: pass\n", 980)}) {
    std::string error;
    auto file = parseText(text, error);
    ASSERT_TRUE(file) << error;
    std::string printed;
    llvm::raw_string_ostream os(printed);
    printModule(file->getModule(), os);
    EXPECT_EQ(dumpText(printed), dumpText(text)) << printed.substr(0, 80);
  }
}

TEST(ParserLimits, DecimalDigits) {
  EXPECT_EQ(dumpText("x = " + repeat("1", 4300)).substr(0, 7), "Module(");
  EXPECT_EQ(dumpText("x = " + repeat("1", 4301)),
            "1:4: a decimal integer of 4301 digits, at most 4300 are read");
  EXPECT_EQ(dumpText("0x" + repeat("f", 5000) + " + 1").substr(0, 7), "Module(");
}

TEST(Encoding, CookiesAreReadOrRefusedByName) {
  EXPECT_EQ(dumpText("# coding: koi8-r\nx = 1\n"), "1:10: unsupported source encoding 'koi8-r'");
  EXPECT_EQ(dumpText("#!/bin/x\n# vim: set fileencoding=cp1252 :\n"),
            "2:24: unsupported source encoding 'cp1252'");
  EXPECT_EQ(dumpText("x = 1\n# coding: koi8-r\n").substr(0, 7), "Module(");
  EXPECT_EQ(dumpText("# coding: ascii\nx = '\xc3\xa9'\n"),
            "2:5: byte 0xc3 in a file that is declared as ASCII");
  EXPECT_EQ(dumpText("x = '\xe9'\n"), "1:5: byte 0xe9 is not valid UTF-8 here");
  EXPECT_EQ(dumpText("# coding: latin-1\n'\xe9'\n"),
            "Module(body=[Expr(value=Constant(value='\xc3\xa9'))], type_ignores=[])");
  EXPECT_NE(dumpText("\xef\xbb\xbfx", true).find("col_offset=0, end_lineno=1, end_col_offset=1"),
            std::string::npos);
  EXPECT_EQ(dumpText("\xef\xbb\xbf# coding: latin-1\n"),
            "1:13: the file starts with a UTF-8 byte order mark but is declared as 'latin-1'");
}

TEST(Encoding, PlacesInLatin1FilesAreThoseOfTheFile) {
  EXPECT_EQ(dumpText("# coding: latin-1\nx = '\xe9\xe9' = \n").substr(0, 4), "2:4:");
  EXPECT_EQ(dumpText("# coding: latin-1\nx = '\xe9\xe9' $\n").substr(0, 4), "2:9:");
}

} // namespace
