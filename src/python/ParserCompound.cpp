// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "python/ParserImpl.h"

using namespace nereid;
using namespace nereid::python;

Stmt *Parser::parseCompound() {
  uint32_t start = pos;
  switch (kind()) {
  case TokenKind::KwIf:
    return parseIf();
  case TokenKind::KwWhile:
    return parseWhile();
  case TokenKind::KwFor:
    return parseFor(start, /*isAsync=*/false);
  case TokenKind::KwTry:
    return parseTry();
  case TokenKind::KwWith:
    return parseWith(start, /*isAsync=*/false);
  case TokenKind::KwDef:
    return parseFunction(start, /*isAsync=*/false, {});
  case TokenKind::KwClass:
    return parseClass({});
  case TokenKind::KwAsync:
    return parseAsync();
  case TokenKind::At:
    return parseDecorated();
  default:
    return parseMatch();
  }
}

Stmt *Parser::parseAsync() {
  uint32_t start = pos;
  advance();
  switch (kind()) {
  case TokenKind::KwDef:
    return parseFunction(start, /*isAsync=*/true, {});
  case TokenKind::KwFor:
    return parseFor(start, /*isAsync=*/true);
  case TokenKind::KwWith:
    return parseWith(start, /*isAsync=*/true);
  default:
    return failExpected("'def', 'for' or 'with' behind 'async'");
  }
}

/// `:` and what belongs to it; `after` names the statement whose keyword is given.
bool Parser::parseColonBlock(Body &body, llvm::StringRef after, uint32_t keyword) {
  if (!at(TokenKind::Colon)) {
    failExpected("':'");
    return false;
  }
  advance();
  return parseBlock(body, after, keyword);
}

bool Parser::parseBlock(Body &body, llvm::StringRef after, uint32_t keyword) {
  Stmts stmts;
  if (!accept(TokenKind::Newline)) {
    if (!parseSimpleStatements(stmts))
      return false;
    body = copy(stmts);
    return true;
  }
  if (!accept(TokenKind::Indent)) {
    // At the end of the file the end of the last line is the place to look at.
    uint32_t place = begin(pos) < source.size() ? pos : last + 1;
    failAt(place,
           "expected an indented block behind " + after.str() + " on line " +
               std::to_string(line(keyword)),
           "a block that does nothing is written `pass`");
    return false;
  }
  while (!at(TokenKind::Dedent)) {
    if (at(TokenKind::EndOfFile)) {
      failExpected("a statement");
      return false;
    }
    if (!parseStatement(stmts))
      return false;
  }
  advance();
  body = copy(stmts);
  return true;
}

/// `else` of an `if`, a loop or a `try`, if there is one.
bool Parser::parseElse(Body &orelse) {
  uint32_t keyword = pos;
  return !accept(TokenKind::KwElse) || parseColonBlock(orelse, "'else'", keyword);
}

/// `if` or `elif`, the current token.
Stmt *Parser::parseIf() {
  Depth depthHere(*this);
  if (depthHere.isTooDeep())
    return nullptr;
  auto *stmt = make<If>();
  uint32_t start = pos;
  bool isElif = at(TokenKind::KwElif);
  advance();
  if (!(stmt->test = parseNamedExpression()) ||
      !parseColonBlock(stmt->body, isElif ? "'elif'" : "'if'", start))
    return nullptr;
  if (at(TokenKind::KwElif)) {
    Stmt *nested = parseIf();
    if (!nested)
      return nullptr;
    stmt->orelse = file.copy(llvm::ArrayRef<Stmt *>(nested));
  } else if (!parseElse(stmt->orelse)) {
    return nullptr;
  }
  return finish(stmt, start);
}

Stmt *Parser::parseWhile() {
  auto *stmt = make<While>();
  uint32_t start = pos;
  advance();
  if (!(stmt->test = parseNamedExpression()) || !parseColonBlock(stmt->body, "'while'", start) ||
      !parseElse(stmt->orelse))
    return nullptr;
  return finish(stmt, start);
}

Stmt *Parser::parseFor(uint32_t start, bool isAsync) {
  auto *stmt = make<For>(isAsync ? Kind::AsyncFor : Kind::For);
  uint32_t keyword = pos;
  advance();
  if (!(stmt->target = parseForTargets()) || !expect(TokenKind::KwIn) ||
      !(stmt->iter = parseStarExpressions()) || !parseColonBlock(stmt->body, "'for'", keyword) ||
      !parseElse(stmt->orelse))
    return nullptr;
  return finish(stmt, start);
}

WithItem *Parser::parseWithItem() {
  auto *item = make<WithItem>();
  uint32_t start = pos;
  if (!(item->contextExpr = parseExpression()))
    return nullptr;
  if (accept(TokenKind::KwAs)) {
    // The target is one expression: `with a as b, c` has two items.
    item->optionalVars = parseStarExpression();
    if (!item->optionalVars)
      return nullptr;
    if (llvm::isa<Starred>(item->optionalVars))
      return failNode(item->optionalVars, "a starred target needs a tuple or a list around it");
    if (!setTarget(item->optionalVars, TargetUse::For))
      return nullptr;
  }
  return finish(item, start);
}

bool Parser::parseWithItems(llvm::SmallVectorImpl<WithItem *> &items) {
  do {
    WithItem *item = parseWithItem();
    if (!item)
      return false;
    items.push_back(item);
  } while (accept(TokenKind::Comma));
  return true;
}

/// Parentheses may surround all items or belong to the first expression: the former only if ':'
/// follows them and their contents are items. Without success nothing is consumed.
bool Parser::tryParenthesizedItems(llvm::SmallVectorImpl<WithItem *> &items) {
  if (!at(TokenKind::LeftParen))
    return false;
  State state = save();
  advance();
  ++bracketDepth;
  do {
    if (!items.empty() && at(TokenKind::RightParen))
      break;
    WithItem *item = parseWithItem();
    if (!item)
      break;
    items.push_back(item);
  } while (accept(TokenKind::Comma));
  bool ok = !error && !items.empty() && accept(TokenKind::RightParen) && at(TokenKind::Colon);
  if (ok) {
    --bracketDepth;
    return true;
  }
  items.clear();
  // Inside `with (a as b, ...` an error cannot be cured by reading an expression instead.
  restore(state);
  return false;
}

Stmt *Parser::parseWith(uint32_t start, bool isAsync) {
  auto *stmt = make<With>(isAsync ? Kind::AsyncWith : Kind::With);
  uint32_t keyword = pos;
  advance();
  llvm::SmallVector<WithItem *, 2> items;
  if (!tryParenthesizedItems(items) && !parseWithItems(items))
    return nullptr;
  stmt->items = copy(items);
  if (!parseColonBlock(stmt->body, "'with'", keyword))
    return nullptr;
  return finish(stmt, start);
}

ExceptHandler *Parser::parseHandler(std::optional<bool> &isStar) {
  auto *handler = make<ExceptHandler>();
  uint32_t start = pos;
  advance();
  bool star = accept(TokenKind::Star);
  if (isStar && *isStar != star)
    return failAt(start, "'except' and 'except*' cannot be mixed in one 'try'");
  isStar = star;
  if (star && at(TokenKind::Colon))
    return failExpected("the types of exceptions");
  if (!at(TokenKind::Colon)) {
    uint32_t type = pos;
    if (!(handler->type = parseExpression()))
      return nullptr;
    if (at(TokenKind::Comma)) {
      advance();
      return fail({begin(type), end(last)}, "several exception types need parentheses",
                  "write `except (A, B):`");
    }
    if (accept(TokenKind::KwAs)) {
      uint32_t name = pos;
      if (!expect(TokenKind::Name))
        return nullptr;
      handler->name = identifier(name);
    }
  }
  if (!parseColonBlock(handler->body, star ? "'except*'" : "'except'", start))
    return nullptr;
  return finish(handler, start);
}

Stmt *Parser::parseTry() {
  uint32_t start = pos;
  advance();
  Body body, orelse, finalbody;
  if (!parseColonBlock(body, "'try'", start))
    return nullptr;
  std::optional<bool> isStar;
  llvm::SmallVector<ExceptHandler *, 2> handlers;
  while (at(TokenKind::KwExcept)) {
    ExceptHandler *handler = parseHandler(isStar);
    if (!handler)
      return nullptr;
    handlers.push_back(handler);
  }
  if (!handlers.empty() && !parseElse(orelse))
    return nullptr;
  uint32_t keyword = pos;
  if (accept(TokenKind::KwFinally)) {
    if (!parseColonBlock(finalbody, "'finally'", keyword))
      return nullptr;
  } else if (handlers.empty()) {
    return failAt(pos, "expected 'except' or 'finally' behind the block of 'try'");
  }
  auto *stmt = make<Try>(isStar.value_or(false) ? Kind::TryStar : Kind::Try);
  stmt->body = body;
  stmt->handlers = copy(handlers);
  stmt->orelse = orelse;
  stmt->finalbody = finalbody;
  return finish(stmt, start);
}
