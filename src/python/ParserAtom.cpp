// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "python/Literals.h"
#include "python/ParserImpl.h"

using namespace nereid;
using namespace nereid::python;

Expr *Parser::parsePrimary() {
  uint32_t start = pos;
  Expr *expr = parseAtom();
  while (expr) {
    switch (kind()) {
    case TokenKind::Dot: {
      advance();
      uint32_t name = pos;
      if (!expect(TokenKind::Name))
        return nullptr;
      auto *attribute = make<Attribute>();
      attribute->value = expr;
      attribute->attr = identifier(name);
      expr = finish(attribute, start);
      break;
    }
    case TokenKind::LeftParen:
      expr = parseCall(expr, start);
      break;
    case TokenKind::LeftBracket:
      expr = parseSubscript(expr, start);
      break;
    default:
      return expr;
    }
  }
  return nullptr;
}

Expr *Parser::parseAtom() {
  switch (kind()) {
  case TokenKind::Name:
    return parseNameAtom();
  case TokenKind::Number:
    return parseNumber();
  case TokenKind::String:
  case TokenKind::FStringStart:
    return parseStrings();
  case TokenKind::KwTrue:
    return parseConstantAtom(ConstantType::True);
  case TokenKind::KwFalse:
    return parseConstantAtom(ConstantType::False);
  case TokenKind::KwNone:
    return parseConstantAtom(ConstantType::None);
  case TokenKind::Ellipsis:
    return parseConstantAtom(ConstantType::Ellipsis);
  case TokenKind::LeftParen:
    return parseParenthesized();
  case TokenKind::LeftBracket:
    return parseListAtom();
  case TokenKind::LeftBrace:
    return parseBraces();
  default:
    return failExpected("an expression");
  }
}

Expr *Parser::parseNameAtom() {
  auto *name = make<Name>();
  uint32_t start = pos;
  name->id = identifier(pos);
  advance();
  return finish(name, start);
}

Expr *Parser::parseConstantAtom(ConstantType type) {
  auto *constant = make<Constant>();
  uint32_t start = pos;
  constant->type = type;
  advance();
  return finish(constant, start);
}

Expr *Parser::parseNumber() {
  auto *constant = make<Constant>();
  uint32_t start = pos;
  if (LiteralError wrong = readNumber(text(pos), file.getArena(), *constant))
    return failAt(pos, std::move(wrong.message), std::move(wrong.help));
  advance();
  return finish(constant, start);
}

/// Elements up to a closing bracket, the current token being behind a comma or the opening one.
bool Parser::parseElements(Exprs &elements, TokenKind close) {
  while (!at(close)) {
    Expr *element = parseStarNamedExpression();
    if (!element)
      return false;
    elements.push_back(element);
    if (!accept(TokenKind::Comma))
      break;
  }
  if (!at(close)) {
    failExpected("',' or '" + std::string(spell(close)) + "'");
    return false;
  }
  --bracketDepth;
  advance();
  return true;
}

template <typename T>
T *Parser::parseComprehension(Expr *element, TokenKind close, uint32_t start) {
  llvm::SmallVector<Comprehension *, 2> generators;
  if (llvm::isa<Starred>(element))
    return failNode(element, "an element of a comprehension cannot be unpacked with '*'");
  if (!parseGenerators(generators))
    return nullptr;
  --bracketDepth;
  if (!expect(close))
    return nullptr;
  auto *comprehension = make<T>();
  comprehension->elt = element;
  comprehension->generators = copy(generators);
  return finish(comprehension, start);
}

bool Parser::parseGenerators(llvm::SmallVectorImpl<Comprehension *> &generators) {
  while (atGenerators()) {
    auto *generator = make<Comprehension>();
    uint32_t start = pos;
    generator->isAsync = accept(TokenKind::KwAsync);
    advance();
    if (!(generator->target = parseForTargets()))
      return false;
    if (!expect(TokenKind::KwIn) || !(generator->iter = parseDisjunction()))
      return false;
    Exprs conditions;
    while (accept(TokenKind::KwIf)) {
      Expr *condition = parseDisjunction();
      if (!condition)
        return false;
      conditions.push_back(condition);
    }
    generator->ifs = copy(conditions);
    generators.push_back(finish(generator, start));
  }
  return true;
}

Expr *Parser::parseParenthesized() {
  uint32_t start = pos;
  advance();
  ++bracketDepth;
  if (at(TokenKind::RightParen))
    return parseTupleRest(nullptr, start);
  if (at(TokenKind::DoubleStar))
    return failAt(pos, "cannot unpack with '**' here");
  if (at(TokenKind::KwYield)) {
    Expr *yield = parseYield();
    --bracketDepth;
    return yield && expect(TokenKind::RightParen) ? yield : nullptr;
  }
  Expr *first = parseStarNamedExpression();
  if (!first)
    return nullptr;
  if (atGenerators())
    return parseComprehension<GeneratorExp>(first, TokenKind::RightParen, start);
  if (at(TokenKind::Comma))
    return parseTupleRest(first, start);
  if (llvm::isa<Starred>(first) && at(TokenKind::RightParen))
    return failNode(first, "cannot unpack with '*' here", "a comma behind it makes it a tuple");
  if (!at(TokenKind::RightParen))
    return failExpected("')' or ','");
  --bracketDepth;
  advance();
  return first;
}

Expr *Parser::parseTupleRest(Expr *first, uint32_t start) {
  Exprs elements;
  if (first) {
    elements.push_back(first);
    advance();
  }
  if (!parseElements(elements, TokenKind::RightParen))
    return nullptr;
  auto *tuple = make<Tuple>();
  tuple->elts = copy(elements);
  return finish(tuple, start);
}

Expr *Parser::parseListAtom() {
  uint32_t start = pos;
  advance();
  ++bracketDepth;
  Exprs elements;
  if (!at(TokenKind::RightBracket)) {
    Expr *first = parseStarNamedExpression();
    if (!first)
      return nullptr;
    if (atGenerators())
      return parseComprehension<ListComp>(first, TokenKind::RightBracket, start);
    elements.push_back(first);
    if (!accept(TokenKind::Comma) && !at(TokenKind::RightBracket))
      return failExpected("',' or ']'");
  }
  if (!parseElements(elements, TokenKind::RightBracket))
    return nullptr;
  auto *list = make<List>();
  list->elts = copy(elements);
  return finish(list, start);
}

/// A dictionary, a set, or a comprehension of one of them.
Expr *Parser::parseBraces() {
  uint32_t start = pos;
  advance();
  ++bracketDepth;
  if (at(TokenKind::RightBrace))
    return parseDictRest(nullptr, nullptr, start);
  if (uint32_t stars = pos; accept(TokenKind::DoubleStar)) {
    Expr *value = parseBinary();
    if (!value)
      return nullptr;
    if (atGenerators())
      return failAt(stars, "a dictionary comprehension cannot unpack with '**'");
    return parseDictRest(nullptr, value, start);
  }
  Expr *first = parseStarNamedExpression();
  if (!first)
    return nullptr;
  if (!at(TokenKind::Colon) || llvm::isa<Starred>(first))
    return parseSetRest(first, start);
  Expr *value = nullptr;
  if (!parseDictValue(first, value))
    return nullptr;
  if (!atGenerators())
    return parseDictRest(first, value, start);
  auto *comprehension = make<DictComp>();
  llvm::SmallVector<Comprehension *, 2> generators;
  if (!parseGenerators(generators))
    return nullptr;
  --bracketDepth;
  if (!expect(TokenKind::RightBrace))
    return nullptr;
  comprehension->key = first;
  comprehension->value = value;
  comprehension->generators = copy(generators);
  return finish(comprehension, start);
}

/// `: value` of a dictionary.
bool Parser::parseDictValue(Expr *key, Expr *&value) {
  uint32_t colon = pos;
  if (!at(TokenKind::Colon)) {
    failExpected("':' behind the key of a dictionary");
    return false;
  }
  advance();
  if (at(TokenKind::RightBrace) || at(TokenKind::Comma)) {
    failAt(colon, "expected an expression behind ':' in a dictionary");
    return false;
  }
  if (at(TokenKind::Star)) {
    failAt(pos, "cannot unpack with '*' in the value of a dictionary");
    return false;
  }
  return (value = parseExpression());
}

Expr *Parser::parseDictRest(Expr *firstKey, Expr *firstValue, uint32_t start) {
  Exprs keys, values;
  if (firstValue) {
    keys.push_back(firstKey);
    values.push_back(firstValue);
  }
  while (!at(TokenKind::RightBrace)) {
    if (!values.empty()) {
      if (!at(TokenKind::Comma))
        return failExpected("',' or '}'");
      advance();
      if (at(TokenKind::RightBrace))
        break;
    }
    Expr *key = nullptr, *value = nullptr;
    if (accept(TokenKind::DoubleStar)) {
      value = parseBinary();
    } else {
      key = parseExpression();
      if (!key || !parseDictValue(key, value))
        return nullptr;
    }
    if (!value)
      return nullptr;
    keys.push_back(key);
    values.push_back(value);
  }
  --bracketDepth;
  advance();
  auto *dict = make<Dict>();
  dict->keys = copy(keys);
  dict->values = copy(values);
  return finish(dict, start);
}

Expr *Parser::parseSetRest(Expr *first, uint32_t start) {
  if (atGenerators())
    return parseComprehension<SetComp>(first, TokenKind::RightBrace, start);
  Exprs elements{first};
  if (!accept(TokenKind::Comma) && !at(TokenKind::RightBrace))
    return failExpected("',' or '}'");
  if (!parseElements(elements, TokenKind::RightBrace))
    return nullptr;
  auto *set = make<Set>();
  set->elts = copy(elements);
  return finish(set, start);
}

Expr *Parser::parseSliceItem() {
  uint32_t start = pos;
  if (at(TokenKind::Star))
    return parseStarExpression();
  Expr *lower = nullptr;
  if (!at(TokenKind::Colon)) {
    lower = parseNamedExpression();
    if (!lower || !at(TokenKind::Colon))
      return lower;
    if (llvm::isa<NamedExpr>(lower) && lower->firstToken == start)
      return failExpected("']'");
  }
  advance();
  auto *slice = make<Slice>();
  slice->lower = lower;
  if (startsExpression(pos) && !(slice->upper = parseExpression()))
    return nullptr;
  if (accept(TokenKind::Colon) && startsExpression(pos) && !(slice->step = parseExpression()))
    return nullptr;
  return finish(slice, start);
}

Expr *Parser::parseSubscript(Expr *value, uint32_t start) {
  advance();
  ++bracketDepth;
  uint32_t inner = pos;
  Expr *slice = parseSliceItem();
  if (!slice)
    return nullptr;
  if (at(TokenKind::Comma) || llvm::isa<Starred>(slice)) {
    Exprs elements{slice};
    while (accept(TokenKind::Comma) && !at(TokenKind::RightBracket)) {
      Expr *element = parseSliceItem();
      if (!element)
        return nullptr;
      elements.push_back(element);
    }
    auto *tuple = make<Tuple>();
    tuple->elts = copy(elements);
    slice = finish(tuple, inner);
  }
  if (!at(TokenKind::RightBracket))
    return failExpected("',' or ']'");
  --bracketDepth;
  advance();
  auto *subscript = make<Subscript>();
  subscript->value = value;
  subscript->slice = slice;
  return finish(subscript, start);
}
