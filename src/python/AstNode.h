// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The root of the AST's classes: what every node knows. Names and fields mirror CPython's `ast`;
// nodes live in the arena of their ParsedFile, are trivially destructible and never own memory.
#pragma once

#include "support/Source.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Casting.h"

#include <cstdint>

namespace nereid::python {

enum class Kind : uint8_t {
  Module,
  // Statements.
  FunctionDef,
  AsyncFunctionDef,
  ClassDef,
  Return,
  Delete,
  Assign,
  TypeAlias,
  AugAssign,
  AnnAssign,
  For,
  AsyncFor,
  While,
  If,
  With,
  AsyncWith,
  Match,
  Raise,
  Try,
  TryStar,
  Assert,
  Import,
  ImportFrom,
  Global,
  Nonlocal,
  ExprStmt, ///< CPython's `Expr`
  Pass,
  Break,
  Continue,
  // Expressions.
  BoolOp,
  NamedExpr,
  BinOp,
  UnaryOp,
  Lambda,
  IfExp,
  Dict,
  Set,
  ListComp,
  SetComp,
  DictComp,
  GeneratorExp,
  Await,
  Yield,
  YieldFrom,
  Compare,
  Call,
  FormattedValue,
  JoinedStr,
  Constant,
  Attribute,
  Subscript,
  Starred,
  Name,
  List,
  Tuple,
  Slice,
  // Patterns of `match`.
  MatchValue,
  MatchSingleton,
  MatchSequence,
  MatchMapping,
  MatchClass,
  MatchStar,
  MatchAs,
  MatchOr,
  // Type parameters.
  TypeVar,
  ParamSpec,
  TypeVarTuple,
  // Parts of other nodes.
  Comprehension,
  ExceptHandler,
  Arguments,
  Arg,
  Keyword,
  Alias,
  WithItem,
  MatchCase,

  FirstStmt = FunctionDef,
  LastStmt = Continue,
  FirstExpr = BoolOp,
  LastExpr = Slice,
  FirstPattern = MatchValue,
  LastPattern = MatchOr,
  FirstTypeParam = TypeVar,
  LastTypeParam = TypeVarTuple,
};

/// The name of CPython's class: "Expr" for ExprStmt, "match_case" for MatchCase.
llvm::StringRef getKindName(Kind kind);

struct Node {
  Kind kind;
  /// Byte offsets in the text of the ParsedFile's SourceFile.
  SourceRange range;
  /// Indices into ParsedFile::tokens, both inclusive.
  uint32_t firstToken = 0;
  uint32_t lastToken = 0;

protected:
  explicit Node(Kind kind) : kind(kind) {}
};

struct Stmt : Node {
  static bool classof(const Node *node) {
    return node->kind >= Kind::FirstStmt && node->kind <= Kind::LastStmt;
  }

protected:
  using Node::Node;
};

struct Expr : Node {
  static bool classof(const Node *node) {
    return node->kind >= Kind::FirstExpr && node->kind <= Kind::LastExpr;
  }

protected:
  using Node::Node;
};

struct Pattern : Node {
  static bool classof(const Node *node) {
    return node->kind >= Kind::FirstPattern && node->kind <= Kind::LastPattern;
  }

protected:
  using Node::Node;
};

/// A class of nodes with one kind: constructor and classof.
template <typename Base, Kind theKind> struct NodeOf : Base {
  static constexpr Kind nodeKind = theKind;
  NodeOf() : Base(theKind) {}
  static bool classof(const Node *node) { return node->kind == theKind; }
};

/// A class of nodes with a plain and a second form (async def, async for, except*).
template <typename Base, Kind plain, Kind second> struct NodeOfTwo : Base {
  explicit NodeOfTwo(Kind kind = plain) : Base(kind) {}
  static bool classof(const Node *node) { return node->kind == plain || node->kind == second; }

protected:
  bool isSecond() const { return this->kind == second; }
};

using Body = llvm::ArrayRef<Stmt *>;

} // namespace nereid::python
