// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Statements, patterns, type parameters and the parts that they have. Optional children are null
// pointers, optional names are empty.
#pragma once

#include "python/AstExpr.h"

namespace nereid::python {

struct Module : NodeOf<Node, Kind::Module> {
  Body body;
};

struct Arg : NodeOf<Node, Kind::Arg> {
  llvm::StringRef arg;
  Expr *annotation = nullptr; ///< optional
};

struct Arguments : NodeOf<Node, Kind::Arguments> {
  llvm::ArrayRef<Arg *> posonlyargs;
  llvm::ArrayRef<Arg *> args;
  Arg *vararg = nullptr; ///< optional
  llvm::ArrayRef<Arg *> kwonlyargs;
  /// As long as `kwonlyargs`; null where there is no default.
  llvm::ArrayRef<Expr *> kwDefaults;
  Arg *kwarg = nullptr; ///< optional
  /// The defaults of the last of `posonlyargs` and `args`.
  llvm::ArrayRef<Expr *> defaults;
};

/// `T`, `T: bound`, `*Ts` or `**P` in the brackets of PEP 695.
struct TypeParam : Node {
  llvm::StringRef name;
  Expr *bound = nullptr; ///< optional, TypeVar only

  explicit TypeParam(Kind kind) : Node(kind) {}
  static bool classof(const Node *node) {
    return node->kind >= Kind::FirstTypeParam && node->kind <= Kind::LastTypeParam;
  }
};

struct FunctionDef : NodeOfTwo<Stmt, Kind::FunctionDef, Kind::AsyncFunctionDef> {
  using NodeOfTwo::NodeOfTwo;
  llvm::StringRef name;
  Arguments *args = nullptr;
  Body body;
  llvm::ArrayRef<Expr *> decoratorList;
  Expr *returns = nullptr; ///< optional
  llvm::ArrayRef<TypeParam *> typeParams;
  bool isAsync() const { return isSecond(); }
};

struct ClassDef : NodeOf<Stmt, Kind::ClassDef> {
  llvm::StringRef name;
  llvm::ArrayRef<Expr *> bases;
  llvm::ArrayRef<Keyword *> keywords;
  Body body;
  llvm::ArrayRef<Expr *> decoratorList;
  llvm::ArrayRef<TypeParam *> typeParams;
};

struct Return : NodeOf<Stmt, Kind::Return> {
  Expr *value = nullptr; ///< optional
};

struct Delete : NodeOf<Stmt, Kind::Delete> {
  llvm::ArrayRef<Expr *> targets;
};

struct Assign : NodeOf<Stmt, Kind::Assign> {
  llvm::ArrayRef<Expr *> targets;
  Expr *value = nullptr;
};

struct TypeAlias : NodeOf<Stmt, Kind::TypeAlias> {
  Expr *name = nullptr;
  llvm::ArrayRef<TypeParam *> typeParams;
  Expr *value = nullptr;
};

struct AugAssign : NodeOf<Stmt, Kind::AugAssign> {
  Expr *target = nullptr;
  BinaryOperator op = BinaryOperator::Add;
  Expr *value = nullptr;
};

struct AnnAssign : NodeOf<Stmt, Kind::AnnAssign> {
  Expr *target = nullptr;
  Expr *annotation = nullptr;
  Expr *value = nullptr; ///< optional
  /// The target is a name without parentheses.
  bool simple = false;
};

struct For : NodeOfTwo<Stmt, Kind::For, Kind::AsyncFor> {
  using NodeOfTwo::NodeOfTwo;
  Expr *target = nullptr;
  Expr *iter = nullptr;
  Body body;
  Body orelse;
  bool isAsync() const { return isSecond(); }
};

struct While : NodeOf<Stmt, Kind::While> {
  Expr *test = nullptr;
  Body body;
  Body orelse;
};

/// `elif` is an If that is alone in the `orelse` of another.
struct If : NodeOf<Stmt, Kind::If> {
  Expr *test = nullptr;
  Body body;
  Body orelse;
};

struct WithItem : NodeOf<Node, Kind::WithItem> {
  Expr *contextExpr = nullptr;
  Expr *optionalVars = nullptr; ///< optional
};

struct With : NodeOfTwo<Stmt, Kind::With, Kind::AsyncWith> {
  using NodeOfTwo::NodeOfTwo;
  llvm::ArrayRef<WithItem *> items;
  Body body;
  bool isAsync() const { return isSecond(); }
};

struct MatchCase : NodeOf<Node, Kind::MatchCase> {
  Pattern *pattern = nullptr;
  Expr *guard = nullptr; ///< optional
  Body body;
};

struct Match : NodeOf<Stmt, Kind::Match> {
  Expr *subject = nullptr;
  llvm::ArrayRef<MatchCase *> cases;
};

struct Raise : NodeOf<Stmt, Kind::Raise> {
  Expr *exc = nullptr;   ///< optional
  Expr *cause = nullptr; ///< optional
};

struct ExceptHandler : NodeOf<Node, Kind::ExceptHandler> {
  Expr *type = nullptr; ///< optional
  llvm::StringRef name; ///< optional
  Body body;
};

struct Try : NodeOfTwo<Stmt, Kind::Try, Kind::TryStar> {
  using NodeOfTwo::NodeOfTwo;
  Body body;
  llvm::ArrayRef<ExceptHandler *> handlers;
  Body orelse;
  Body finalbody;
  /// Written with `except*`.
  bool isStar() const { return isSecond(); }
};

struct Assert : NodeOf<Stmt, Kind::Assert> {
  Expr *test = nullptr;
  Expr *msg = nullptr; ///< optional
};

/// `name as asname`; a dotted name is one string, and "*" stands for all names.
struct Alias : NodeOf<Node, Kind::Alias> {
  llvm::StringRef name;
  llvm::StringRef asname; ///< optional
};

struct Import : NodeOf<Stmt, Kind::Import> {
  llvm::ArrayRef<Alias *> names;
};

struct ImportFrom : NodeOf<Stmt, Kind::ImportFrom> {
  llvm::StringRef module; ///< optional: `from . import x`
  llvm::ArrayRef<Alias *> names;
  /// The number of leading dots.
  uint32_t level = 0;
};

struct Global : NodeOf<Stmt, Kind::Global> {
  llvm::ArrayRef<llvm::StringRef> names;
};

struct Nonlocal : NodeOf<Stmt, Kind::Nonlocal> {
  llvm::ArrayRef<llvm::StringRef> names;
};

struct ExprStmt : NodeOf<Stmt, Kind::ExprStmt> {
  Expr *value = nullptr;
};

struct Pass : NodeOf<Stmt, Kind::Pass> {};
struct Break : NodeOf<Stmt, Kind::Break> {};
struct Continue : NodeOf<Stmt, Kind::Continue> {};

struct MatchValue : NodeOf<Pattern, Kind::MatchValue> {
  Expr *value = nullptr;
};

struct MatchSingleton : NodeOf<Pattern, Kind::MatchSingleton> {
  /// None, True or False.
  ConstantType value = ConstantType::None;
};

struct MatchSequence : NodeOf<Pattern, Kind::MatchSequence> {
  llvm::ArrayRef<Pattern *> patterns;
};

struct MatchMapping : NodeOf<Pattern, Kind::MatchMapping> {
  llvm::ArrayRef<Expr *> keys;
  llvm::ArrayRef<Pattern *> patterns;
  llvm::StringRef rest; ///< optional: the name after `**`
};

struct MatchClass : NodeOf<Pattern, Kind::MatchClass> {
  Expr *cls = nullptr;
  llvm::ArrayRef<Pattern *> patterns;
  llvm::ArrayRef<llvm::StringRef> kwdAttrs;
  llvm::ArrayRef<Pattern *> kwdPatterns;
};

struct MatchStar : NodeOf<Pattern, Kind::MatchStar> {
  llvm::StringRef name; ///< optional: empty for `*_`
};

/// `pattern as name`; without pattern a capture, without both the wildcard `_`.
struct MatchAs : NodeOf<Pattern, Kind::MatchAs> {
  Pattern *pattern = nullptr; ///< optional
  llvm::StringRef name;       ///< optional
};

struct MatchOr : NodeOf<Pattern, Kind::MatchOr> {
  llvm::ArrayRef<Pattern *> patterns;
};

} // namespace nereid::python
