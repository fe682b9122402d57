// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Syntax that came with Python 3.12, which the comparison with Python 3.11 cannot judge: PEP 695
// and the f-strings of PEP 701. The trees are written out as CPython 3.12 dumps them.
#include "ParseForTest.h"

#include "gtest/gtest.h"

using namespace nereid;
using namespace nereid::python;

namespace {

/// The tree of one expression.
std::string dumpExpr(std::string text) {
  std::string tree = dumpText(std::move(text));
  llvm::StringRef inner = tree;
  if (inner.consume_front("Module(body=[Expr(value=") && inner.consume_back(")], type_ignores=[])"))
    return inner.str();
  return tree;
}

TEST(Syntax312, TypeAlias) {
  EXPECT_EQ(dumpText("type X = int"),
            "Module(body=[TypeAlias(name=Name(id='X', ctx=Store()), type_params=[], "
            "value=Name(id='int', ctx=Load()))], type_ignores=[])");
  EXPECT_EQ(dumpText("type X[T: int, *Ts, **P] = T"),
            "Module(body=[TypeAlias(name=Name(id='X', ctx=Store()), type_params=[TypeVar(name='T', "
            "bound=Name(id='int', ctx=Load())), TypeVarTuple(name='Ts'), ParamSpec(name='P')], "
            "value=Name(id='T', ctx=Load()))], type_ignores=[])");
}

TEST(Syntax312, TypeIsAnOrdinaryNameElsewhere) {
  for (const char *text : {"type = 1", "type(x)", "type[x]", "type.x", "type: int", "type",
                           "type -x", "type in x", "print(type)", "match = case = type = _ = 1"})
    EXPECT_EQ(dumpText(text).find("TypeAlias"), std::string::npos) << text;
  EXPECT_EQ(dumpText("type type = type").substr(0, 30), "Module(body=[TypeAlias(name=Na");
}

TEST(Syntax312, GenericFunctionAndClass) {
  EXPECT_EQ(dumpText("def f[T](x: T) -> T: pass"),
            "Module(body=[FunctionDef(name='f', args=arguments(posonlyargs=[], args=[arg(arg='x', "
            "annotation=Name(id='T', ctx=Load()))], kwonlyargs=[], kw_defaults=[], defaults=[]), "
            "body=[Pass()], decorator_list=[], returns=Name(id='T', ctx=Load()), "
            "type_params=[TypeVar(name='T')])], type_ignores=[])");
  EXPECT_EQ(dumpText("class A[T: (int, str),](B[T]): pass"),
            "Module(body=[ClassDef(name='A', bases=[Subscript(value=Name(id='B', ctx=Load()), "
            "slice=Name(id='T', ctx=Load()), ctx=Load())], keywords=[], body=[Pass()], "
            "decorator_list=[], type_params=[TypeVar(name='T', bound=Tuple(elts=[Name(id='int', "
            "ctx=Load()), Name(id='str', ctx=Load())], ctx=Load()))])], type_ignores=[])");
  EXPECT_EQ(dumpText("def f[*T: int](): pass"),
            "1:8: only a plain type parameter can have a bound");
  EXPECT_EQ(dumpText("def f[](): pass"), "1:6: expected name, found ']'");
  EXPECT_EQ(dumpText("type X[T = int] = T"), "1:9: expected ']', found '='");
}

TEST(Syntax312, FStringsMayReuseTheirQuotes) {
  EXPECT_EQ(dumpExpr("f'{x['a']}'"),
            "JoinedStr(values=[FormattedValue(value=Subscript(value=Name(id='x', ctx=Load()), "
            "slice=Constant(value='a'), ctx=Load()), conversion=-1)])");
  EXPECT_EQ(dumpExpr("f'{f'{f'{1}'}'}'"),
            "JoinedStr(values=[FormattedValue(value=JoinedStr(values=[FormattedValue(value="
            "JoinedStr(values=[FormattedValue(value=Constant(value=1), conversion=-1)]), "
            "conversion=-1)]), conversion=-1)])");
}

TEST(Syntax312, FieldsMayHoldBackslashesCommentsAndLineEnds) {
  EXPECT_EQ(
      dumpExpr("f'{'\\n'.join(a)}'"),
      "JoinedStr(values=[FormattedValue(value=Call(func=Attribute(value=Constant(value='\\n'), "
      "attr='join', ctx=Load()), args=[Name(id='a', ctx=Load())], keywords=[]), "
      "conversion=-1)])");
  EXPECT_EQ(dumpExpr("f'''{\na  # the first\n}'''"),
            "JoinedStr(values=[FormattedValue(value=Name(id='a', ctx=Load()), conversion=-1)])");
  EXPECT_EQ(dumpExpr("f'{\na\n}'"),
            "JoinedStr(values=[FormattedValue(value=Name(id='a', ctx=Load()), conversion=-1)])");
}

TEST(Syntax312, FormatSpecifications) {
  EXPECT_EQ(dumpExpr("f'{x:{w}.{p}}'"),
            "JoinedStr(values=[FormattedValue(value=Name(id='x', ctx=Load()), conversion=-1, "
            "format_spec=JoinedStr(values=[FormattedValue(value=Name(id='w', ctx=Load()), "
            "conversion=-1), Constant(value='.'), FormattedValue(value=Name(id='p', ctx=Load()), "
            "conversion=-1)]))])");
  EXPECT_EQ(dumpExpr("f'{x!r:>{10}}'"),
            "JoinedStr(values=[FormattedValue(value=Name(id='x', ctx=Load()), conversion=114, "
            "format_spec=JoinedStr(values=[Constant(value='>'), "
            "FormattedValue(value=Constant(value=10), conversion=-1)]))])");
  EXPECT_EQ(dumpExpr("f'{x:=5}'"),
            "JoinedStr(values=[FormattedValue(value=Name(id='x', ctx=Load()), conversion=-1, "
            "format_spec=JoinedStr(values=[Constant(value='=5')]))])");
}

TEST(Syntax312, DebugFields) {
  EXPECT_EQ(dumpExpr("f'{ x = }'"),
            "JoinedStr(values=[Constant(value=' x = '), FormattedValue(value=Name(id='x', "
            "ctx=Load()), conversion=114)])");
  EXPECT_EQ(
      dumpExpr("f'a{x=!s:4}b'"),
      "JoinedStr(values=[Constant(value='ax='), FormattedValue(value=Name(id='x', ctx=Load()), "
      "conversion=115, format_spec=JoinedStr(values=[Constant(value='4')])), "
      "Constant(value='b')])");
}

TEST(Syntax312, TextOfFStrings) {
  EXPECT_EQ(dumpExpr("f'{{a}}\\N{DIGIT ONE}\\x41' 'b' rf'\\{x}'"),
            "JoinedStr(values=[Constant(value='{a}1Ab\\\\'), FormattedValue(value=Name(id='x', "
            "ctx=Load()), conversion=-1)])");
  EXPECT_EQ(dumpExpr("f''"), "JoinedStr(values=[])");
}

TEST(Syntax312, PlacesInsideFStrings) {
  EXPECT_EQ(dumpText("f'a{bc!r}'", true),
            "Module(body=[Expr(value=JoinedStr(values=[Constant(value='a', lineno=1, col_offset=2, "
            "end_lineno=1, end_col_offset=3), FormattedValue(value=Name(id='bc', ctx=Load(), "
            "lineno=1, col_offset=4, end_lineno=1, end_col_offset=6), conversion=114, lineno=1, "
            "col_offset=3, end_lineno=1, end_col_offset=9)], lineno=1, col_offset=0, end_lineno=1, "
            "end_col_offset=10), lineno=1, col_offset=0, end_lineno=1, end_col_offset=10)], "
            "type_ignores=[])");
}

TEST(Syntax312, BadFStrings) {
  EXPECT_EQ(dumpText("f'{}'"), "1:3: expected an expression in the replacement field, found '}'");
  EXPECT_EQ(dumpText("f'}'"), "1:2: f-string: single '}' is not allowed");
  EXPECT_EQ(dumpText("f'{a'"), "1:4: f-string: expected '}' before the end of the string");
  EXPECT_EQ(dumpText("f'{a!x}'"), "1:5: invalid conversion 'x', expected 's', 'r' or 'a'");
  EXPECT_EQ(dumpText("f'{a! r}'"), "1:6: a conversion must stand right behind '!'");
  EXPECT_EQ(dumpText("f'{a b}'"), "1:3: two expressions follow each other");
  EXPECT_EQ(dumpText("f'{a)}'"), "1:4: ')' closes nothing");
  EXPECT_EQ(dumpText("f'{(a}'"), "1:5: '}' does not match the opening '('");
  EXPECT_EQ(dumpText("f'{lambda x: 1}'").substr(0, 5), "1:12:");
  EXPECT_EQ(dumpText("f'abc"), "1:0: f-string is never closed");
  EXPECT_EQ(dumpText("f'{a:\n}'"), "1:0: f-string is never closed");
}

} // namespace
