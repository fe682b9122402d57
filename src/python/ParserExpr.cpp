// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Expressions down to those with operators: starred ones, `:=`, conditionals, lambdas and `yield`.
#include "python/ParserImpl.h"

using namespace nereid;
using namespace nereid::python;

/// Whether a token can begin an expression other than a starred one.
bool Parser::startsExpression(uint32_t token) const {
  switch (toks[token].kind) {
  case TokenKind::Name:
  case TokenKind::Number:
  case TokenKind::String:
  case TokenKind::FStringStart:
  case TokenKind::KwFalse:
  case TokenKind::KwNone:
  case TokenKind::KwTrue:
  case TokenKind::KwAwait:
  case TokenKind::KwLambda:
  case TokenKind::KwNot:
  case TokenKind::LeftParen:
  case TokenKind::LeftBracket:
  case TokenKind::LeftBrace:
  case TokenKind::Ellipsis:
  case TokenKind::Plus:
  case TokenKind::Minus:
  case TokenKind::Tilde:
    return true;
  default:
    return false;
  }
}

bool Parser::startsStarExpression(uint32_t token) const {
  return toks[token].kind == TokenKind::Star || startsExpression(token);
}

Expr *Parser::parseStarExpressions() {
  uint32_t start = pos;
  Expr *first = parseStarExpression();
  if (!first || !at(TokenKind::Comma))
    return first;
  Exprs elements{first};
  while (accept(TokenKind::Comma) && startsStarExpression(pos)) {
    Expr *element = parseStarExpression();
    if (!element)
      return nullptr;
    elements.push_back(element);
  }
  auto *tuple = make<Tuple>();
  tuple->elts = copy(elements);
  return finish(tuple, start);
}

Expr *Parser::parseStarExpression() {
  if (!at(TokenKind::Star))
    return parseExpression();
  uint32_t start = pos;
  advance();
  Expr *value = parseBinary();
  if (!value || isTooHigh(value))
    return nullptr;
  auto *starred = make<Starred>();
  starred->value = value;
  return finish(starred, start);
}

Expr *Parser::parseStarNamedExpression() {
  return at(TokenKind::Star) ? parseStarExpression() : parseNamedExpression();
}

Expr *Parser::parseNamedExpression(bool checkEqual) {
  uint32_t start = pos;
  if (at(TokenKind::Name) && peek() == TokenKind::ColonEqual) {
    auto *target = make<Name>();
    target->id = identifier(pos);
    target->ctx = ExprContext::Store;
    advance();
    finish(target, start);
    advance();
    auto *named = make<NamedExpr>();
    named->target = target;
    named->value = parseExpression();
    return named->value ? finish(named, start) : nullptr;
  }
  Expr *expr = parseExpression();
  if (!expr)
    return nullptr;
  if (at(TokenKind::ColonEqual))
    return failNode(expr, "':=' cannot assign to " + describeExpr(expr),
                    "only a name can stand before ':='");
  if (checkEqual && at(TokenKind::Equal) && !checkEqualSign(expr, start))
    return nullptr;
  return expr;
}

/// A '=' behind an expression that is no statement was meant as '==' or ':='. False after an error.
bool Parser::checkEqualSign(Expr *expr, uint32_t start) {
  switch (expr->kind) {
  case Kind::Tuple:
  case Kind::List:
  case Kind::GeneratorExp:
    return true;
  case Kind::BoolOp:
  case Kind::Compare:
  case Kind::IfExp:
  case Kind::Lambda:
    if (!isParenthesized(expr, start))
      return true;
    break;
  case Kind::UnaryOp:
    if (llvm::cast<UnaryOp>(expr)->op == UnaryOperator::Not && !isParenthesized(expr, start))
      return true;
    break;
  case Kind::Constant: {
    ConstantType type = llvm::cast<Constant>(expr)->type;
    if (type == ConstantType::True || type == ConstantType::False || type == ConstantType::None)
      return true;
    break;
  }
  default:
    break;
  }
  State state = save();
  advance();
  bool isComparison = parseBinary() && !at(TokenKind::Equal) && !at(TokenKind::ColonEqual);
  restore(state);
  if (!isComparison)
    return true;
  if (llvm::isa<Name>(expr) && !isParenthesized(expr, start))
    failNode(expr, "'=' cannot be used in an expression",
             "write '==' to compare or ':=' to assign");
  else
    failNode(expr, "cannot assign to " + describeExpr(expr) + " here", "write '==' to compare");
  return false;
}

/// An expression right behind another one: false after an error about what lies between them.
bool Parser::checkJuxtaposition(Expr *expr, uint32_t start) {
  bool isName = llvm::isa<Name>(expr) && !isParenthesized(expr, start);
  llvm::StringRef name = isName ? text(start) : "";
  bool isLegacy = name == "print" || name == "exec";
  if (isName && !isLegacy &&
      (at(TokenKind::String) || at(TokenKind::FStringStart) || name == "match" || name == "case" ||
       name == "_" || name == "type"))
    return true;
  if (!isLegacy && bracketDepth == 0)
    return true;
  State state = save();
  Expr *second = isLegacy ? parseStarExpressions() : parseExpression();
  restore(state);
  if (!second)
    return true;
  SourceRange both{begin(start), second->range.end};
  if (isLegacy)
    fail(both, "'" + name.str() + "' is a function, found an expression behind it",
         "write " + name.str() + "(...)");
  else
    fail(both, "two expressions follow each other", "a comma or an operator may be missing");
  return false;
}

Expr *Parser::parseExpression() {
  Depth depthHere(*this);
  if (depthHere.isTooDeep())
    return nullptr;
  bool isOutermost = !inExpression;
  inExpression = true;
  Expr *expr = parseConditional();
  inExpression = !isOutermost;
  return expr && isOutermost && isTooHigh(expr) ? nullptr : expr;
}

Expr *Parser::parseConditional() {
  if (at(TokenKind::KwLambda))
    return parseLambda();
  uint32_t start = pos;
  Expr *expr = parseDisjunction();
  if (!expr)
    return nullptr;
  if (at(TokenKind::KwIf))
    return parseIfExp(expr, start);
  if (startsExpression(pos) && !checkJuxtaposition(expr, start))
    return nullptr;
  return expr;
}

Expr *Parser::parseIfExp(Expr *body, uint32_t start) {
  advance();
  Expr *test = parseDisjunction();
  if (!test)
    return nullptr;
  if (!at(TokenKind::KwElse)) {
    if (at(TokenKind::Colon))
      return failExpected("'else'");
    return fail({begin(start), test->range.end}, "expected 'else' after the 'if' expression");
  }
  advance();
  Expr *orelse = parseExpression();
  if (!orelse)
    return nullptr;
  auto *choice = make<IfExp>();
  choice->test = test;
  choice->body = body;
  choice->orelse = orelse;
  return finish(choice, start);
}

Expr *Parser::parseLambda() {
  uint32_t start = pos;
  advance();
  auto *lambda = make<Lambda>();
  lambda->args = parseParameters(TokenKind::Colon, /*isLambda=*/true);
  if (!lambda->args || !expect(TokenKind::Colon))
    return nullptr;
  lambda->body = parseExpression();
  return lambda->body ? finish(lambda, start) : nullptr;
}

Expr *Parser::parseYield() {
  uint32_t start = pos;
  advance();
  if (accept(TokenKind::KwFrom)) {
    auto *yield = make<YieldFrom>();
    yield->value = parseExpression();
    return yield->value ? finish(yield, start) : nullptr;
  }
  auto *yield = make<Yield>();
  if (startsStarExpression(pos) && !(yield->value = parseStarExpressions()))
    return nullptr;
  return finish(yield, start);
}

Expr *Parser::parseYieldOrStarExpressions() {
  return at(TokenKind::KwYield) ? parseYield() : parseStarExpressions();
}
