// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "python/ParserImpl.h"

using namespace nereid;
using namespace nereid::python;

/// `match` is a statement when its line ends with ':'; no other statement that begins with a name
/// does.
bool Parser::startsMatch() const {
  if (!startsStarExpression(next(pos)))
    return false;
  uint32_t before = pos;
  for (uint32_t token = next(pos);; before = token, token = next(token)) {
    if (toks[token].kind == TokenKind::Newline)
      return toks[before].kind == TokenKind::Colon;
    if (toks[token].kind == TokenKind::EndOfFile || toks[token].kind == TokenKind::Semicolon)
      return false;
  }
}

Stmt *Parser::parseMatch() {
  auto *match = make<Match>();
  uint32_t start = pos;
  advance();
  uint32_t subjectStart = pos;
  Expr *subject = parseStarNamedExpression();
  if (!subject)
    return nullptr;
  if (at(TokenKind::Comma)) {
    Exprs elements{subject};
    while (accept(TokenKind::Comma) && startsStarExpression(pos)) {
      Expr *element = parseStarNamedExpression();
      if (!element)
        return nullptr;
      elements.push_back(element);
    }
    auto *tuple = make<Tuple>();
    tuple->elts = copy(elements);
    subject = finish(tuple, subjectStart);
  } else if (llvm::isa<Starred>(subject)) {
    return failExpected("','");
  }
  match->subject = subject;
  if (!expect(TokenKind::Colon) || !expect(TokenKind::Newline))
    return nullptr;
  if (!accept(TokenKind::Indent))
    return failAt(pos, "expected an indented block behind 'match' on line " +
                           std::to_string(line(start)));
  llvm::SmallVector<MatchCase *, 8> cases;
  while (atWord("case")) {
    MatchCase *part = parseCase();
    if (!part)
      return nullptr;
    cases.push_back(part);
  }
  if (cases.empty() || !at(TokenKind::Dedent))
    return failExpected("'case'");
  advance();
  match->cases = copy(cases);
  return finish(match, start);
}

MatchCase *Parser::parseCase() {
  auto *part = make<MatchCase>();
  uint32_t start = pos;
  advance();
  if (!(part->pattern = parsePatterns()))
    return nullptr;
  if (accept(TokenKind::KwIf) && !(part->guard = parseNamedExpression()))
    return nullptr;
  if (!parseColonBlock(part->body, "'case'", start))
    return nullptr;
  return finish(part, start);
}

/// One pattern, or several that make a sequence without brackets.
Pattern *Parser::parsePatterns() {
  uint32_t start = pos;
  Pattern *first = parseMaybeStarPattern();
  if (!first)
    return nullptr;
  if (!at(TokenKind::Comma)) {
    if (llvm::isa<MatchStar>(first))
      return failExpected("','");
    return first;
  }
  llvm::SmallVector<Pattern *, 8> patterns{first};
  while (accept(TokenKind::Comma) && !at(TokenKind::Colon) && !at(TokenKind::KwIf)) {
    Pattern *pattern = parseMaybeStarPattern();
    if (!pattern)
      return nullptr;
    patterns.push_back(pattern);
  }
  auto *sequence = make<MatchSequence>();
  sequence->patterns = copy(patterns);
  return finish(sequence, start);
}

Pattern *Parser::parseMaybeStarPattern() {
  if (!at(TokenKind::Star))
    return parsePattern();
  auto *star = make<MatchStar>();
  uint32_t start = pos;
  advance();
  if (atWord("_"))
    advance();
  else if (!parseCaptureName(star->name))
    return nullptr;
  return finish(star, start);
}

/// A name that a pattern binds: neither `_` nor the beginning of a value.
bool Parser::parseCaptureName(llvm::StringRef &name) {
  uint32_t token = pos;
  if (!expect(TokenKind::Name))
    return false;
  if (at(TokenKind::Dot) || at(TokenKind::LeftParen) || at(TokenKind::Equal)) {
    failExpected("the end of the name to bind");
    return false;
  }
  name = identifier(token);
  return true;
}

Pattern *Parser::parsePattern() {
  Depth depthHere(*this);
  if (depthHere.isTooDeep())
    return nullptr;
  uint32_t start = pos;
  Pattern *pattern = parseOrPattern();
  if (!pattern || !accept(TokenKind::KwAs))
    return pattern;
  if (atWord("_"))
    return failAt(pos, "'_' cannot be bound by a pattern");
  if (!at(TokenKind::Name) || peek() == TokenKind::Dot || peek() == TokenKind::LeftParen) {
    uint32_t target = pos;
    State state = save();
    Expr *expr = startsExpression(pos) ? parseExpression() : nullptr;
    restore(state);
    return expr ? failNode(expr, "a pattern can bind only a name, found " + describeExpr(expr))
                : (pos = target, failExpected("a name"));
  }
  auto *as = make<MatchAs>();
  as->pattern = pattern;
  if (!parseCaptureName(as->name))
    return nullptr;
  return finish(as, start);
}

Pattern *Parser::parseOrPattern() {
  uint32_t start = pos;
  Pattern *first = parseClosedPattern();
  if (!first || !at(TokenKind::Bar))
    return first;
  llvm::SmallVector<Pattern *, 4> patterns{first};
  while (accept(TokenKind::Bar)) {
    Pattern *pattern = parseClosedPattern();
    if (!pattern)
      return nullptr;
    patterns.push_back(pattern);
  }
  auto *alternatives = make<MatchOr>();
  alternatives->patterns = copy(patterns);
  return finish(alternatives, start);
}

Pattern *Parser::parseClosedPattern() {
  switch (kind()) {
  case TokenKind::Name:
    return parseNamePattern();
  case TokenKind::LeftParen:
    return parseGroupPattern();
  case TokenKind::LeftBracket:
    return parseBracketPattern();
  case TokenKind::LeftBrace:
    return parseMappingPattern();
  case TokenKind::Number:
  case TokenKind::Minus:
  case TokenKind::String:
  case TokenKind::FStringStart:
  case TokenKind::KwNone:
  case TokenKind::KwTrue:
  case TokenKind::KwFalse:
    return parseLiteralPattern();
  default:
    return failExpected("a pattern");
  }
}

Pattern *Parser::parseLiteralPattern() {
  uint32_t start = pos;
  if (at(TokenKind::KwNone) || at(TokenKind::KwTrue) || at(TokenKind::KwFalse)) {
    auto *singleton = make<MatchSingleton>();
    singleton->value = at(TokenKind::KwNone)   ? ConstantType::None
                       : at(TokenKind::KwTrue) ? ConstantType::True
                                               : ConstantType::False;
    advance();
    return finish(singleton, start);
  }
  auto *value = make<MatchValue>();
  value->value =
      at(TokenKind::Number) || at(TokenKind::Minus) ? parsePatternNumber() : parseStrings();
  return value->value ? finish(value, start) : nullptr;
}

static bool isImaginary(const Expr *expr) {
  auto *constant = llvm::dyn_cast<Constant>(expr);
  return constant && constant->type == ConstantType::Complex;
}

/// `1`, `-1` or `1 + 2j`.
Expr *Parser::parsePatternNumber() {
  uint32_t start = pos;
  bool isNegative = accept(TokenKind::Minus);
  if (!at(TokenKind::Number))
    return failExpected("a number");
  Expr *real = parseNumber();
  if (!real)
    return nullptr;
  bool wasImaginary = isImaginary(real);
  if (isNegative) {
    auto *minus = make<UnaryOp>();
    minus->op = UnaryOperator::USub;
    minus->operand = real;
    real = finish(minus, start);
  }
  if (!at(TokenKind::Plus) && !at(TokenKind::Minus))
    return real;
  if (wasImaginary)
    return failNode(real, "expected a real number before the imaginary part");
  auto *sum = make<BinOp>();
  sum->op = at(TokenKind::Plus) ? BinaryOperator::Add : BinaryOperator::Sub;
  advance();
  if (!at(TokenKind::Number))
    return failExpected("an imaginary number");
  sum->left = real;
  if (!(sum->right = parseNumber()))
    return nullptr;
  if (!isImaginary(sum->right))
    return failNode(sum->right, "expected an imaginary number");
  return finish(sum, start);
}

Expr *Parser::parseDottedPatternName() {
  uint32_t start = pos;
  if (!at(TokenKind::Name))
    return failExpected("a name");
  Expr *expr = parseNameAtom();
  while (accept(TokenKind::Dot)) {
    uint32_t name = pos;
    if (!expect(TokenKind::Name))
      return nullptr;
    auto *attribute = make<Attribute>();
    attribute->value = expr;
    attribute->attr = identifier(name);
    expr = finish(attribute, start);
  }
  return isTooHigh(expr) ? nullptr : expr;
}

/// A capture, the wildcard, a dotted value or a class.
Pattern *Parser::parseNamePattern() {
  uint32_t start = pos;
  bool isWildcard = atWord("_");
  Expr *expr = parseDottedPatternName();
  if (!expr)
    return nullptr;
  if (at(TokenKind::LeftParen))
    return parseClassPattern(expr, start);
  if (at(TokenKind::Equal))
    return failExpected("the end of the pattern");
  if (auto *name = llvm::dyn_cast<Name>(expr)) {
    auto *capture = make<MatchAs>();
    if (!isWildcard)
      capture->name = name->id;
    return finish(capture, start);
  }
  auto *value = make<MatchValue>();
  value->value = expr;
  return finish(value, start);
}

Pattern *Parser::parseClassPattern(Expr *cls, uint32_t start) {
  advance();
  ++bracketDepth;
  llvm::SmallVector<Pattern *, 4> patterns, kwdPatterns;
  llvm::SmallVector<llvm::StringRef, 4> kwdAttrs;
  while (!at(TokenKind::RightParen)) {
    if (at(TokenKind::Name) && peek() == TokenKind::Equal) {
      kwdAttrs.push_back(identifier(pos));
      advance();
      advance();
      Pattern *pattern = parsePattern();
      if (!pattern)
        return nullptr;
      kwdPatterns.push_back(pattern);
    } else {
      uint32_t first = pos;
      Pattern *pattern = parsePattern();
      if (!pattern)
        return nullptr;
      if (!kwdPatterns.empty())
        return fail({begin(first), end(last)}, "a positional pattern follows a keyword pattern");
      patterns.push_back(pattern);
    }
    if (!accept(TokenKind::Comma))
      break;
  }
  --bracketDepth;
  if (!expect(TokenKind::RightParen))
    return nullptr;
  auto *match = make<MatchClass>();
  match->cls = cls;
  match->patterns = copy(patterns);
  match->kwdAttrs = copy(kwdAttrs);
  match->kwdPatterns = copy(kwdPatterns);
  return finish(match, start);
}

/// Further patterns of a sequence and its closing bracket.
bool Parser::parseSequenceRest(llvm::SmallVectorImpl<Pattern *> &patterns, TokenKind close) {
  while (!at(close)) {
    Pattern *pattern = parseMaybeStarPattern();
    if (!pattern)
      return false;
    patterns.push_back(pattern);
    if (!accept(TokenKind::Comma))
      break;
  }
  --bracketDepth;
  return expect(close);
}

/// Parentheses: a group if they hold one pattern without a comma, else a sequence.
Pattern *Parser::parseGroupPattern() {
  uint32_t start = pos;
  advance();
  ++bracketDepth;
  llvm::SmallVector<Pattern *, 8> patterns;
  if (!at(TokenKind::RightParen)) {
    Pattern *first = parseMaybeStarPattern();
    if (!first)
      return nullptr;
    if (!llvm::isa<MatchStar>(first) && at(TokenKind::RightParen)) {
      --bracketDepth;
      advance();
      return first;
    }
    patterns.push_back(first);
    if (!expect(TokenKind::Comma))
      return nullptr;
  }
  if (!parseSequenceRest(patterns, TokenKind::RightParen))
    return nullptr;
  auto *sequence = make<MatchSequence>();
  sequence->patterns = copy(patterns);
  return finish(sequence, start);
}

Pattern *Parser::parseBracketPattern() {
  uint32_t start = pos;
  advance();
  ++bracketDepth;
  llvm::SmallVector<Pattern *, 8> patterns;
  if (!parseSequenceRest(patterns, TokenKind::RightBracket))
    return nullptr;
  auto *sequence = make<MatchSequence>();
  sequence->patterns = copy(patterns);
  return finish(sequence, start);
}

/// A literal or a dotted name.
Expr *Parser::parseMappingKey() {
  uint32_t start = pos;
  switch (kind()) {
  case TokenKind::Number:
  case TokenKind::Minus:
    return parsePatternNumber();
  case TokenKind::String:
  case TokenKind::FStringStart:
    return parseStrings();
  case TokenKind::KwNone:
    return parseConstantAtom(ConstantType::None);
  case TokenKind::KwTrue:
    return parseConstantAtom(ConstantType::True);
  case TokenKind::KwFalse:
    return parseConstantAtom(ConstantType::False);
  default: {
    Expr *key = parseDottedPatternName();
    if (key && llvm::isa<Name>(key))
      return toks[start].kind == TokenKind::Name ? failExpected("'.'") : nullptr;
    return key;
  }
  }
}

Pattern *Parser::parseMappingPattern() {
  auto *mapping = make<MatchMapping>();
  uint32_t start = pos;
  advance();
  ++bracketDepth;
  Exprs keys;
  llvm::SmallVector<Pattern *, 4> patterns;
  while (!at(TokenKind::RightBrace)) {
    if (accept(TokenKind::DoubleStar)) {
      if (atWord("_"))
        return failExpected("a name other than '_'");
      if (!parseCaptureName(mapping->rest))
        return nullptr;
      accept(TokenKind::Comma);
      break;
    }
    Expr *key = parseMappingKey();
    if (!key || !expect(TokenKind::Colon))
      return nullptr;
    Pattern *pattern = parsePattern();
    if (!pattern)
      return nullptr;
    keys.push_back(key);
    patterns.push_back(pattern);
    if (!accept(TokenKind::Comma))
      break;
  }
  --bracketDepth;
  if (!expect(TokenKind::RightBrace))
    return nullptr;
  mapping->keys = copy(keys);
  mapping->patterns = copy(patterns);
  return finish(mapping, start);
}
