// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Expressions, and the parts that only expressions have. Optional children are null pointers.
#pragma once

#include "python/AstNode.h"

#include "llvm/ADT/APInt.h"

#include <optional>
#include <string>

namespace nereid::python {

struct Arguments;

enum class ExprContext : uint8_t { Load, Store, Del };
enum class BoolOperator : uint8_t { And, Or };
enum class BinaryOperator : uint8_t {
  Add,
  Sub,
  Mult,
  MatMult,
  Div,
  Mod,
  Pow,
  LShift,
  RShift,
  BitOr,
  BitXor,
  BitAnd,
  FloorDiv,
};
enum class UnaryOperator : uint8_t { Invert, Not, UAdd, USub };
enum class CompareOperator : uint8_t { Eq, NotEq, Lt, LtE, Gt, GtE, Is, IsNot, In, NotIn };

/// CPython's class name ("Add") and the spelling ("+").
llvm::StringRef getName(ExprContext context);
llvm::StringRef getName(BoolOperator op);
llvm::StringRef getName(BinaryOperator op);
llvm::StringRef getName(UnaryOperator op);
llvm::StringRef getName(CompareOperator op);
llvm::StringRef spell(BoolOperator op);
llvm::StringRef spell(BinaryOperator op);
llvm::StringRef spell(UnaryOperator op);
llvm::StringRef spell(CompareOperator op);

struct BoolOp : NodeOf<Expr, Kind::BoolOp> {
  BoolOperator op = BoolOperator::And;
  llvm::ArrayRef<Expr *> values;
};

struct NamedExpr : NodeOf<Expr, Kind::NamedExpr> {
  Expr *target = nullptr;
  Expr *value = nullptr;
};

struct BinOp : NodeOf<Expr, Kind::BinOp> {
  BinaryOperator op = BinaryOperator::Add;
  Expr *left = nullptr;
  Expr *right = nullptr;
};

struct UnaryOp : NodeOf<Expr, Kind::UnaryOp> {
  UnaryOperator op = UnaryOperator::Not;
  Expr *operand = nullptr;
};

struct Lambda : NodeOf<Expr, Kind::Lambda> {
  Arguments *args = nullptr;
  Expr *body = nullptr;
};

struct IfExp : NodeOf<Expr, Kind::IfExp> {
  Expr *test = nullptr;
  Expr *body = nullptr;
  Expr *orelse = nullptr;
};

struct Dict : NodeOf<Expr, Kind::Dict> {
  /// As long as `values`; a null key stands for `**value`.
  llvm::ArrayRef<Expr *> keys;
  llvm::ArrayRef<Expr *> values;
};

struct Set : NodeOf<Expr, Kind::Set> {
  llvm::ArrayRef<Expr *> elts;
};

struct Comprehension : NodeOf<Node, Kind::Comprehension> {
  Expr *target = nullptr;
  Expr *iter = nullptr;
  llvm::ArrayRef<Expr *> ifs;
  bool isAsync = false;
};

struct ListComp : NodeOf<Expr, Kind::ListComp> {
  Expr *elt = nullptr;
  llvm::ArrayRef<Comprehension *> generators;
};

struct SetComp : NodeOf<Expr, Kind::SetComp> {
  Expr *elt = nullptr;
  llvm::ArrayRef<Comprehension *> generators;
};

struct DictComp : NodeOf<Expr, Kind::DictComp> {
  Expr *key = nullptr;
  Expr *value = nullptr;
  llvm::ArrayRef<Comprehension *> generators;
};

struct GeneratorExp : NodeOf<Expr, Kind::GeneratorExp> {
  Expr *elt = nullptr;
  llvm::ArrayRef<Comprehension *> generators;
};

struct Await : NodeOf<Expr, Kind::Await> {
  Expr *value = nullptr;
};

struct Yield : NodeOf<Expr, Kind::Yield> {
  Expr *value = nullptr; ///< optional
};

struct YieldFrom : NodeOf<Expr, Kind::YieldFrom> {
  Expr *value = nullptr;
};

struct Compare : NodeOf<Expr, Kind::Compare> {
  Expr *left = nullptr;
  llvm::ArrayRef<CompareOperator> ops;
  llvm::ArrayRef<Expr *> comparators;
};

/// `arg=value`, or `**value` when `arg` is empty.
struct Keyword : NodeOf<Node, Kind::Keyword> {
  llvm::StringRef arg;
  Expr *value = nullptr;
};

struct Call : NodeOf<Expr, Kind::Call> {
  Expr *func = nullptr;
  llvm::ArrayRef<Expr *> args;
  llvm::ArrayRef<Keyword *> keywords;
};

struct JoinedStr : NodeOf<Expr, Kind::JoinedStr> {
  /// Constants (strings) and FormattedValues.
  llvm::ArrayRef<Expr *> values;
};

struct FormattedValue : NodeOf<Expr, Kind::FormattedValue> {
  Expr *value = nullptr;
  /// 's', 'r', 'a', or 0 for none.
  char conversion = 0;
  JoinedStr *formatSpec = nullptr; ///< optional
};

enum class ConstantType : uint8_t { None, False, True, Ellipsis, Int, Float, Complex, Str, Bytes };

struct Constant : NodeOf<Expr, Kind::Constant> {
  ConstantType type = ConstantType::None;
  /// Int: 2, 8, 10 or 16, the radix of `text`.
  uint8_t radix = 10;
  /// Str: written with the prefix u (CPython's `kind`).
  bool unicodePrefix = false;
  /// Str: UTF-8, in which escapes may have written surrogates (WTF-8). Bytes: the bytes.
  /// Int: the digits, without prefix, underscores and leading zeros (but "0" for zero).
  llvm::StringRef text;
  /// Float: the value. Complex: the imaginary part (a literal's real part is zero).
  double number = 0;

  bool isInt() const { return type == ConstantType::Int; }
  bool isStr() const { return type == ConstantType::Str; }
  /// The value of an Int that fits.
  std::optional<int64_t> getInt64() const;
  /// The value of an Int as an unsigned number of just enough bits (at least one).
  llvm::APInt getInt() const;
  /// The value of an Int in decimal.
  std::string getDecimal() const;
};

struct Attribute : NodeOf<Expr, Kind::Attribute> {
  Expr *value = nullptr;
  llvm::StringRef attr;
  ExprContext ctx = ExprContext::Load;
};

struct Subscript : NodeOf<Expr, Kind::Subscript> {
  Expr *value = nullptr;
  Expr *slice = nullptr;
  ExprContext ctx = ExprContext::Load;
};

struct Starred : NodeOf<Expr, Kind::Starred> {
  Expr *value = nullptr;
  ExprContext ctx = ExprContext::Load;
};

struct Name : NodeOf<Expr, Kind::Name> {
  llvm::StringRef id;
  ExprContext ctx = ExprContext::Load;
};

struct List : NodeOf<Expr, Kind::List> {
  llvm::ArrayRef<Expr *> elts;
  ExprContext ctx = ExprContext::Load;
};

struct Tuple : NodeOf<Expr, Kind::Tuple> {
  llvm::ArrayRef<Expr *> elts;
  ExprContext ctx = ExprContext::Load;
};

struct Slice : NodeOf<Expr, Kind::Slice> {
  Expr *lower = nullptr; ///< optional
  Expr *upper = nullptr; ///< optional
  Expr *step = nullptr;  ///< optional
};

} // namespace nereid::python
