// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "python/Ast.h"

#include <array>

using namespace nereid;
using namespace nereid::python;

namespace {

struct OperatorName {
  llvm::StringLiteral name;
  llvm::StringLiteral text;
};

// Each table is in the order of its enumeration.
constexpr llvm::StringLiteral kindNames[] = {
    "Module",
    // Statements.
    "FunctionDef", "AsyncFunctionDef", "ClassDef", "Return", "Delete", "Assign", "TypeAlias",
    "AugAssign", "AnnAssign", "For", "AsyncFor", "While", "If", "With", "AsyncWith", "Match",
    "Raise", "Try", "TryStar", "Assert", "Import", "ImportFrom", "Global", "Nonlocal", "Expr",
    "Pass", "Break", "Continue",
    // Expressions.
    "BoolOp", "NamedExpr", "BinOp", "UnaryOp", "Lambda", "IfExp", "Dict", "Set", "ListComp",
    "SetComp", "DictComp", "GeneratorExp", "Await", "Yield", "YieldFrom", "Compare", "Call",
    "FormattedValue", "JoinedStr", "Constant", "Attribute", "Subscript", "Starred", "Name", "List",
    "Tuple", "Slice",
    // Patterns.
    "MatchValue", "MatchSingleton", "MatchSequence", "MatchMapping", "MatchClass", "MatchStar",
    "MatchAs", "MatchOr",
    // Type parameters.
    "TypeVar", "ParamSpec", "TypeVarTuple",
    // Parts.
    "comprehension", "ExceptHandler", "arguments", "arg", "keyword", "alias", "withitem",
    "match_case"};
static_assert(std::size(kindNames) == static_cast<size_t>(Kind::MatchCase) + 1);

constexpr OperatorName boolOperators[] = {{"And", "and"}, {"Or", "or"}};
constexpr OperatorName binaryOperators[] = {
    {"Add", "+"},    {"Sub", "-"},    {"Mult", "*"},     {"MatMult", "@"}, {"Div", "/"},
    {"Mod", "%"},    {"Pow", "**"},   {"LShift", "<<"},  {"RShift", ">>"}, {"BitOr", "|"},
    {"BitXor", "^"}, {"BitAnd", "&"}, {"FloorDiv", "//"}};
constexpr OperatorName unaryOperators[] = {
    {"Invert", "~"}, {"Not", "not "}, {"UAdd", "+"}, {"USub", "-"}};
constexpr OperatorName compareOperators[] = {
    {"Eq", "=="},  {"NotEq", "!="}, {"Lt", "<"},         {"LtE", "<="}, {"Gt", ">"},
    {"GtE", ">="}, {"Is", "is"},    {"IsNot", "is not"}, {"In", "in"},  {"NotIn", "not in"}};
constexpr llvm::StringLiteral contexts[] = {"Load", "Store", "Del"};

} // namespace

llvm::StringRef nereid::python::getKindName(Kind kind) {
  return kindNames[static_cast<size_t>(kind)];
}
llvm::StringRef nereid::python::getName(ExprContext context) {
  return contexts[static_cast<size_t>(context)];
}
llvm::StringRef nereid::python::getName(BoolOperator op) {
  return boolOperators[static_cast<size_t>(op)].name;
}
llvm::StringRef nereid::python::getName(BinaryOperator op) {
  return binaryOperators[static_cast<size_t>(op)].name;
}
llvm::StringRef nereid::python::getName(UnaryOperator op) {
  return unaryOperators[static_cast<size_t>(op)].name;
}
llvm::StringRef nereid::python::getName(CompareOperator op) {
  return compareOperators[static_cast<size_t>(op)].name;
}
llvm::StringRef nereid::python::spell(BoolOperator op) {
  return boolOperators[static_cast<size_t>(op)].text;
}
llvm::StringRef nereid::python::spell(BinaryOperator op) {
  return binaryOperators[static_cast<size_t>(op)].text;
}
llvm::StringRef nereid::python::spell(UnaryOperator op) {
  return unaryOperators[static_cast<size_t>(op)].text;
}
llvm::StringRef nereid::python::spell(CompareOperator op) {
  return compareOperators[static_cast<size_t>(op)].text;
}
