// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "python/ParserImpl.h"

using namespace nereid;
using namespace nereid::python;

Stmt *Parser::parseDecorated() {
  Exprs decorators;
  while (accept(TokenKind::At)) {
    Expr *decorator = parseNamedExpression();
    if (!decorator || !expect(TokenKind::Newline))
      return nullptr;
    decorators.push_back(decorator);
  }
  uint32_t start = pos;
  if (at(TokenKind::KwClass))
    return parseClass(decorators);
  bool isAsync = at(TokenKind::KwAsync) && peek() == TokenKind::KwDef;
  if (isAsync)
    advance();
  if (!at(TokenKind::KwDef))
    return failExpected("'def' or 'class' behind a decorator");
  return parseFunction(start, isAsync, decorators);
}

Stmt *Parser::parseFunction(uint32_t start, bool isAsync, llvm::ArrayRef<Expr *> decorators) {
  auto *def = make<FunctionDef>(isAsync ? Kind::AsyncFunctionDef : Kind::FunctionDef);
  uint32_t keyword = pos;
  advance();
  uint32_t name = pos;
  if (!expect(TokenKind::Name))
    return nullptr;
  def->name = identifier(name);
  if (at(TokenKind::LeftBracket) && !parseTypeParams(def->typeParams))
    return nullptr;
  if (!at(TokenKind::LeftParen))
    return failExpected("'('");
  advance();
  ++bracketDepth;
  if (!(def->args = parseParameters(TokenKind::RightParen, /*isLambda=*/false)))
    return nullptr;
  --bracketDepth;
  if (!expect(TokenKind::RightParen))
    return nullptr;
  if (accept(TokenKind::Arrow) && !(def->returns = parseExpression()))
    return nullptr;
  if (!parseColonBlock(def->body, "the function definition", keyword))
    return nullptr;
  def->decoratorList = file.copy(decorators);
  return finish(def, start);
}

Stmt *Parser::parseClass(llvm::ArrayRef<Expr *> decorators) {
  auto *def = make<ClassDef>();
  uint32_t start = pos;
  advance();
  uint32_t name = pos;
  if (!expect(TokenKind::Name))
    return nullptr;
  def->name = identifier(name);
  if (at(TokenKind::LeftBracket) && !parseTypeParams(def->typeParams))
    return nullptr;
  CallArguments arguments;
  if (at(TokenKind::LeftParen) && !parseArguments(arguments, /*isCall=*/false))
    return nullptr;
  def->bases = copy(arguments.args);
  def->keywords = copy(arguments.keywords);
  if (!parseColonBlock(def->body, "the class definition", start))
    return nullptr;
  def->decoratorList = file.copy(decorators);
  return finish(def, start);
}

bool Parser::parseTypeParams(llvm::ArrayRef<TypeParam *> &params) {
  advance();
  ++bracketDepth;
  llvm::SmallVector<TypeParam *, 4> list;
  do {
    if (!list.empty() && at(TokenKind::RightBracket))
      break;
    TypeParam *param = parseTypeParam();
    if (!param)
      return false;
    list.push_back(param);
  } while (accept(TokenKind::Comma));
  --bracketDepth;
  params = copy(list);
  return expect(TokenKind::RightBracket);
}

TypeParam *Parser::parseTypeParam() {
  uint32_t start = pos;
  Kind kind = accept(TokenKind::Star)         ? Kind::TypeVarTuple
              : accept(TokenKind::DoubleStar) ? Kind::ParamSpec
                                              : Kind::TypeVar;
  auto *param = make<TypeParam>(kind);
  uint32_t name = pos;
  if (!expect(TokenKind::Name))
    return nullptr;
  param->name = identifier(name);
  if (at(TokenKind::Colon)) {
    if (kind != Kind::TypeVar)
      return failAt(pos, "only a plain type parameter can have a bound");
    advance();
    if (!(param->bound = parseExpression()))
      return nullptr;
  }
  return finish(param, start);
}

/// The parameters read so far.
struct Parser::ParameterList {
  llvm::SmallVector<Arg *, 4> posonlyargs;
  llvm::SmallVector<Arg *, 8> args;
  llvm::SmallVector<Arg *, 4> kwonlyargs;
  Exprs defaults, kwDefaults;
  Arg *vararg = nullptr;
  Arg *kwarg = nullptr;
  bool hasSlash = false;
  bool hasStar = false;
};

Arg *Parser::parseArg(bool isLambda, bool allowStarAnnotation) {
  auto *arg = make<Arg>();
  uint32_t start = pos;
  if (at(TokenKind::LeftParen))
    return failAt(pos, isLambda ? "the parameters of a lambda cannot stand in parentheses"
                                : "a parameter cannot stand in parentheses");
  if (!expect(TokenKind::Name))
    return nullptr;
  arg->arg = identifier(start);
  if (!isLambda && accept(TokenKind::Colon)) {
    bool isStar = allowStarAnnotation && at(TokenKind::Star);
    if (!(arg->annotation = isStar ? parseStarExpression() : parseExpression()))
      return nullptr;
  }
  return finish(arg, start);
}

/// Parameters up to, but without, the closing token.
Arguments *Parser::parseParameters(TokenKind close, bool isLambda) {
  auto *arguments = make<Arguments>();
  uint32_t start = pos;
  ParameterList list;
  while (!at(close)) {
    if (!parseParameter(list, close, isLambda))
      return nullptr;
    if (!accept(TokenKind::Comma))
      break;
    if (at(close) && isLambda && list.posonlyargs.empty() && list.args.empty() && !list.hasStar &&
        !list.kwarg)
      return failExpected("a parameter");
  }
  if (!at(close))
    return failExpected("',' or '" + std::string(spell(close)) + "'");
  arguments->posonlyargs = copy(list.posonlyargs);
  arguments->args = copy(list.args);
  arguments->vararg = list.vararg;
  arguments->kwonlyargs = copy(list.kwonlyargs);
  arguments->kwDefaults = copy(list.kwDefaults);
  arguments->kwarg = list.kwarg;
  arguments->defaults = copy(list.defaults);
  if (start == pos) {
    arguments->firstToken = arguments->lastToken = start;
    arguments->range = {begin(start), begin(start)};
    return arguments;
  }
  return finish(arguments, start);
}

bool Parser::parseParameter(ParameterList &list, TokenKind close, bool isLambda) {
  if (list.kwarg) {
    failAt(pos, "no parameter can follow the '**' parameter");
    return false;
  }
  if (at(TokenKind::Slash))
    return parseSlash(list, isLambda);
  if (at(TokenKind::Star))
    return parseStarParameter(list, close, isLambda);
  if (accept(TokenKind::DoubleStar)) {
    if (!(list.kwarg = parseArg(isLambda)))
      return false;
    if (!at(TokenKind::Equal))
      return true;
    failAt(pos, "the '**' parameter cannot have a default");
    return false;
  }
  uint32_t start = pos;
  Arg *arg = parseArg(isLambda);
  if (!arg)
    return false;
  Expr *value = nullptr;
  if (accept(TokenKind::Equal)) {
    if (at(close) || at(TokenKind::Comma)) {
      failAt(last, "expected the default value of a parameter");
      return false;
    }
    if (!(value = parseExpression()))
      return false;
  }
  if (list.hasStar) {
    list.kwonlyargs.push_back(arg);
    list.kwDefaults.push_back(value);
    return true;
  }
  list.args.push_back(arg);
  if (value) {
    list.defaults.push_back(value);
  } else if (!list.defaults.empty()) {
    failAt(start, "a parameter without a default follows one with a default");
    return false;
  }
  return true;
}

bool Parser::parseSlash(ParameterList &list, bool isLambda) {
  if (list.hasSlash)
    failAt(pos, "'/' can stand only once among the parameters");
  else if (list.hasStar)
    failAt(pos, "'/' must stand before '*'");
  else if (list.args.empty())
    failAt(pos, "at least one parameter must stand before '/'");
  if (error)
    return false;
  advance();
  list.hasSlash = true;
  list.posonlyargs.assign(list.args.begin(), list.args.end());
  list.args.clear();
  return true;
}

bool Parser::parseStarParameter(ParameterList &list, TokenKind close, bool isLambda) {
  uint32_t star = pos;
  if (list.hasStar) {
    failAt(pos, "'*' can stand only once among the parameters");
    return false;
  }
  list.hasStar = true;
  advance();
  if (at(TokenKind::Comma) || at(close)) {
    uint32_t following = next(pos);
    bool isLast =
        at(close) || toks[following].kind == close || toks[following].kind == TokenKind::DoubleStar;
    if (isLast)
      failAt(star, "a parameter must follow the bare '*'");
    return !isLast;
  }
  if (!(list.vararg = parseArg(isLambda, /*allowStarAnnotation=*/true)))
    return false;
  if (!at(TokenKind::Equal))
    return true;
  failAt(pos, "the '*' parameter cannot have a default");
  return false;
}
