// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "python/ParserImpl.h"

using namespace nereid;
using namespace nereid::python;

bool Parser::parseStatement(Stmts &stmts) {
  switch (kind()) {
  case TokenKind::KwIf:
  case TokenKind::KwWhile:
  case TokenKind::KwFor:
  case TokenKind::KwTry:
  case TokenKind::KwWith:
  case TokenKind::KwDef:
  case TokenKind::KwClass:
  case TokenKind::KwAsync:
  case TokenKind::At:
    break;
  case TokenKind::Name:
    if (text(pos) == "match" && startsMatch())
      break;
    return parseSimpleStatements(stmts);
  default:
    return parseSimpleStatements(stmts);
  }
  Depth depthHere(*this);
  if (depthHere.isTooDeep())
    return false;
  Stmt *stmt = parseCompound();
  if (!stmt)
    return false;
  stmts.push_back(stmt);
  return true;
}

bool Parser::parseSimpleStatements(Stmts &stmts) {
  for (;;) {
    Stmt *stmt = parseSimpleStatement();
    if (!stmt)
      return false;
    stmts.push_back(stmt);
    if (accept(TokenKind::Newline))
      return true;
    if (!accept(TokenKind::Semicolon)) {
      failExpected("the end of the statement");
      return false;
    }
    if (accept(TokenKind::Newline))
      return true;
  }
}

template <typename T> Stmt *Parser::parseWord() {
  auto *stmt = make<T>();
  uint32_t start = pos;
  advance();
  return finish(stmt, start);
}

Stmt *Parser::parseSimpleStatement() {
  switch (kind()) {
  case TokenKind::KwPass:
    return parseWord<Pass>();
  case TokenKind::KwBreak:
    return parseWord<Break>();
  case TokenKind::KwContinue:
    return parseWord<Continue>();
  case TokenKind::KwReturn:
    return parseReturn();
  case TokenKind::KwRaise:
    return parseRaise();
  case TokenKind::KwGlobal:
    return parseScope<Global>();
  case TokenKind::KwNonlocal:
    return parseScope<Nonlocal>();
  case TokenKind::KwDel:
    return parseDelete();
  case TokenKind::KwAssert:
    return parseAssert();
  case TokenKind::KwImport:
    return parseImport();
  case TokenKind::KwFrom:
    return parseImportFrom();
  case TokenKind::Name:
    if (text(pos) == "type" && peek() == TokenKind::Name)
      return parseTypeAlias();
    return parseExpressionStatement();
  case TokenKind::KwYield:
    return parseExpressionStatement();
  default:
    if (!startsStarExpression(pos))
      return failExpected("a statement");
    return parseExpressionStatement();
  }
}

static std::optional<BinaryOperator> getAugmentedOperator(TokenKind kind) {
  switch (kind) {
  case TokenKind::PlusEqual:
    return BinaryOperator::Add;
  case TokenKind::MinusEqual:
    return BinaryOperator::Sub;
  case TokenKind::StarEqual:
    return BinaryOperator::Mult;
  case TokenKind::AtEqual:
    return BinaryOperator::MatMult;
  case TokenKind::SlashEqual:
    return BinaryOperator::Div;
  case TokenKind::PercentEqual:
    return BinaryOperator::Mod;
  case TokenKind::AmpersandEqual:
    return BinaryOperator::BitAnd;
  case TokenKind::BarEqual:
    return BinaryOperator::BitOr;
  case TokenKind::CaretEqual:
    return BinaryOperator::BitXor;
  case TokenKind::LeftShiftEqual:
    return BinaryOperator::LShift;
  case TokenKind::RightShiftEqual:
    return BinaryOperator::RShift;
  case TokenKind::DoubleStarEqual:
    return BinaryOperator::Pow;
  case TokenKind::DoubleSlashEqual:
    return BinaryOperator::FloorDiv;
  default:
    return std::nullopt;
  }
}

Stmt *Parser::parseExpressionStatement() {
  uint32_t start = pos;
  Expr *expr = parseYieldOrStarExpressions();
  if (!expr)
    return nullptr;
  if (at(TokenKind::Equal))
    return parseAssign(expr, start);
  if (at(TokenKind::Colon))
    return parseAnnAssign(expr, start);
  if (std::optional<BinaryOperator> op = getAugmentedOperator(kind()))
    return parseAugAssign(expr, start, *op);
  if (at(TokenKind::ColonEqual))
    return failAt(pos, "':=' cannot stand in a statement of its own",
                  "write '=', or put the expression into parentheses");
  auto *stmt = make<ExprStmt>();
  stmt->value = expr;
  return finish(stmt, start);
}

Stmt *Parser::parseAssign(Expr *value, uint32_t start) {
  Exprs targets;
  while (at(TokenKind::Equal)) {
    if (!setTarget(value, TargetUse::Assign))
      return nullptr;
    targets.push_back(value);
    advance();
    if (!(value = parseYieldOrStarExpressions()))
      return nullptr;
  }
  auto *assign = make<Assign>();
  assign->targets = copy(targets);
  assign->value = value;
  return finish(assign, start);
}

static bool isSingleTarget(const Expr *expr) { return llvm::isa<Name, Attribute, Subscript>(expr); }

Stmt *Parser::parseAnnAssign(Expr *target, uint32_t start) {
  if (!isSingleTarget(target)) {
    State state = save();
    advance();
    bool isAnnotation = parseExpression();
    restore(state);
    if (!isAnnotation)
      return failExpected("the end of the statement");
    if (llvm::isa<Tuple, List>(target))
      return failNode(target,
                      "only a single target can be annotated, found " + describeExpr(target));
    return failNode(target, "cannot annotate " + describeExpr(target));
  }
  auto *assign = make<AnnAssign>();
  assign->target = target;
  assign->simple = llvm::isa<Name>(target) && !isParenthesized(target, start);
  setContext(target, ExprContext::Store);
  advance();
  if (!(assign->annotation = parseExpression()))
    return nullptr;
  if (accept(TokenKind::Equal) && !(assign->value = parseYieldOrStarExpressions()))
    return nullptr;
  return finish(assign, start);
}

Stmt *Parser::parseAugAssign(Expr *target, uint32_t start, BinaryOperator op) {
  if (!isSingleTarget(target))
    return failNode(target, "an augmented assignment cannot have " + describeExpr(target) +
                                " as its target");
  setContext(target, ExprContext::Store);
  advance();
  auto *assign = make<AugAssign>();
  assign->target = target;
  assign->op = op;
  assign->value = parseYieldOrStarExpressions();
  return assign->value ? finish(assign, start) : nullptr;
}

Stmt *Parser::parseReturn() {
  auto *stmt = make<Return>();
  uint32_t start = pos;
  advance();
  if (startsStarExpression(pos) && !(stmt->value = parseStarExpressions()))
    return nullptr;
  return finish(stmt, start);
}

Stmt *Parser::parseRaise() {
  auto *stmt = make<Raise>();
  uint32_t start = pos;
  advance();
  if (startsExpression(pos)) {
    if (!(stmt->exc = parseExpression()))
      return nullptr;
    if (accept(TokenKind::KwFrom) && !(stmt->cause = parseExpression()))
      return nullptr;
  }
  return finish(stmt, start);
}

Stmt *Parser::parseDelete() {
  auto *stmt = make<Delete>();
  uint32_t start = pos;
  advance();
  Exprs targets;
  do {
    if (!targets.empty() && (at(TokenKind::Newline) || at(TokenKind::Semicolon)))
      break;
    Expr *target = parseStarExpression();
    if (!target || !setTarget(target, TargetUse::Delete))
      return nullptr;
    targets.push_back(target);
  } while (accept(TokenKind::Comma));
  stmt->targets = copy(targets);
  return finish(stmt, start);
}

Stmt *Parser::parseAssert() {
  auto *stmt = make<Assert>();
  uint32_t start = pos;
  advance();
  if (!(stmt->test = parseExpression()))
    return nullptr;
  if (accept(TokenKind::Comma) && !(stmt->msg = parseExpression()))
    return nullptr;
  return finish(stmt, start);
}

/// `global` and `nonlocal`.
template <typename T> Stmt *Parser::parseScope() {
  auto *stmt = make<T>();
  uint32_t start = pos;
  advance();
  llvm::SmallVector<llvm::StringRef, 4> names;
  do {
    uint32_t name = pos;
    if (!expect(TokenKind::Name))
      return nullptr;
    names.push_back(identifier(name));
  } while (accept(TokenKind::Comma));
  stmt->names = copy(names);
  return finish(stmt, start);
}

Stmt *Parser::parseTypeAlias() {
  auto *alias = make<TypeAlias>();
  uint32_t start = pos;
  advance();
  alias->name = parseNameAtom();
  setContext(alias->name, ExprContext::Store);
  if (at(TokenKind::LeftBracket) && !parseTypeParams(alias->typeParams))
    return nullptr;
  if (!expect(TokenKind::Equal) || !(alias->value = parseExpression()))
    return nullptr;
  return finish(alias, start);
}
