// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "python/ParserImpl.h"

using namespace nereid;
using namespace nereid::python;

Expr *Parser::parseCall(Expr *func, uint32_t start) {
  CallArguments arguments;
  if (!parseArguments(arguments, /*isCall=*/true))
    return nullptr;
  auto *call = make<Call>();
  call->func = func;
  call->args = copy(arguments.args);
  call->keywords = copy(arguments.keywords);
  return finish(call, start);
}

/// Arguments with their parentheses, of a call or of a class.
bool Parser::parseArguments(CallArguments &arguments, bool isCall) {
  advance();
  ++bracketDepth;
  while (!at(TokenKind::RightParen)) {
    if (!parseArgument(arguments, isCall))
      return false;
    if (!accept(TokenKind::Comma))
      break;
  }
  if (!at(TokenKind::RightParen)) {
    failExpected("',' or ')'");
    return false;
  }
  --bracketDepth;
  advance();
  // A lone generator takes the parentheses of the call for its own.
  if (arguments.args.size() == 1 && llvm::isa<GeneratorExp>(arguments.args[0])) {
    auto *generator = llvm::cast<GeneratorExp>(arguments.args[0]);
    if (generator->lastToken == 0) {
      generator->lastToken = last;
      generator->range.end = end(last);
    }
  }
  return true;
}

bool Parser::parseArgument(CallArguments &arguments, bool isCall) {
  uint32_t start = pos;
  auto &keywords = arguments.keywords;
  bool afterUnpacking = !keywords.empty() && keywords.back()->arg.empty();
  if (accept(TokenKind::DoubleStar)) {
    auto *keyword = make<Keyword>();
    if (!(keyword->value = parseExpression()))
      return false;
    keywords.push_back(finish(keyword, start));
    return true;
  }
  if (accept(TokenKind::Star)) {
    if (llvm::any_of(keywords, [](Keyword *keyword) { return keyword->arg.empty(); })) {
      failAt(start, "a positional '*' argument follows a '**' argument");
      return false;
    }
    auto *starred = make<Starred>();
    if (!(starred->value = parseExpression()))
      return false;
    arguments.args.push_back(finish(starred, start));
    return true;
  }
  if (at(TokenKind::Name) && peek() == TokenKind::Equal)
    return parseKeywordArgument(arguments);
  Expr *value = parseNamedExpression(/*checkEqual=*/false);
  if (!value)
    return false;
  if (at(TokenKind::Equal)) {
    fail({begin(start), end(pos)}, "the name of an argument cannot be " + describeExpr(value),
         "write '==' to compare");
    return false;
  }
  if (atGenerators())
    return isCall ? parseGeneratorArgument(value, arguments, start)
                  : (failExpected("',' or ')'"), false);
  if (!keywords.empty()) {
    failAt(last, afterUnpacking ? "a positional argument follows a '**' argument"
                                : "a positional argument follows a keyword argument");
    return false;
  }
  arguments.args.push_back(value);
  return true;
}

bool Parser::parseKeywordArgument(CallArguments &arguments) {
  auto *keyword = make<Keyword>();
  uint32_t start = pos;
  keyword->arg = identifier(pos);
  advance();
  advance();
  if (at(TokenKind::Comma) || at(TokenKind::RightParen)) {
    fail({begin(start), end(last)}, "expected the value of an argument behind '='");
    return false;
  }
  if (!(keyword->value = parseExpression()))
    return false;
  if (atGenerators()) {
    fail({begin(start), end(last)}, "'=' cannot be used in an expression",
         "write '==' to compare or ':=' to assign");
    return false;
  }
  arguments.keywords.push_back(finish(keyword, start));
  return true;
}

bool Parser::parseGeneratorArgument(Expr *element, CallArguments &arguments, uint32_t start) {
  auto *generator = make<GeneratorExp>();
  llvm::SmallVector<Comprehension *, 2> generators;
  if (!parseGenerators(generators))
    return false;
  if (!arguments.args.empty() || !arguments.keywords.empty() || at(TokenKind::Comma)) {
    fail({begin(start), end(last)}, "a generator beside other arguments needs parentheses",
         "put it into parentheses of its own");
    return false;
  }
  generator->elt = element;
  generator->generators = copy(generators);
  uint32_t open = start;
  while (toks[--open].kind != TokenKind::LeftParen) {
  }
  generator->firstToken = open;
  generator->range.begin = begin(open);
  arguments.args.push_back(generator);
  return true;
}
