// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "python/Literals.h"
#include "python/ParserImpl.h"

#include "llvm/ADT/StringExtras.h"

using namespace nereid;
using namespace nereid::python;

/// What adjacent string literals have given so far.
struct Parser::StringParts {
  /// Finished parts of a JoinedStr.
  Exprs values;
  /// Text that belongs to the next constant, and the tokens that it came from.
  std::string text;
  uint32_t textFirst = 0, textLast = 0;
  bool hasText = false;
  bool bytes = false;
  bool unicode = false;
  bool joined = false;

  void addTokens(uint32_t token) {
    textFirst = hasText ? textFirst : token;
    textLast = token;
    hasText = true;
  }
  /// Turns pending text into a constant; empty text leaves none.
  void flush(Parser &parser) {
    if (!text.empty()) {
      auto *constant = parser.make<Constant>();
      constant->type = ConstantType::Str;
      constant->unicodePrefix = unicode;
      constant->text = llvm::StringRef(text).copy(parser.file.getArena());
      constant->firstToken = textFirst;
      constant->lastToken = textLast;
      constant->range = {parser.begin(textFirst), parser.end(textLast)};
      values.push_back(constant);
    }
    text.clear();
    hasText = false;
  }
};

std::nullptr_t Parser::failLiteral(uint32_t offset, std::string message, std::string help) {
  return fail({offset, offset + 1}, std::move(message), std::move(help));
}

Expr *Parser::parseStrings() {
  uint32_t start = pos;
  StringLiteral first;
  if (at(TokenKind::String)) {
    // The usual case: one literal without escapes is its own text.
    first = splitString(text(pos));
    TokenKind following = peek();
    if (!first.bytes && following != TokenKind::String && following != TokenKind::FStringStart &&
        first.body.find_first_of(first.raw ? "\r" : "\\\r") == llvm::StringRef::npos) {
      auto *constant = make<Constant>();
      constant->type = ConstantType::Str;
      constant->unicodePrefix = first.unicode;
      constant->text = first.body;
      advance();
      return finish(constant, start);
    }
  }
  StringParts parts;
  parts.bytes = first.bytes;
  parts.unicode = first.unicode;
  while (at(TokenKind::String) || at(TokenKind::FStringStart))
    if (!(at(TokenKind::String) ? parseString(parts) : parseFString(parts)))
      return nullptr;
  if (parts.joined) {
    parts.flush(*this);
    auto *joined = make<JoinedStr>();
    joined->values = copy(parts.values);
    return finish(joined, start);
  }
  auto *constant = make<Constant>();
  constant->type = parts.bytes ? ConstantType::Bytes : ConstantType::Str;
  constant->unicodePrefix = parts.unicode;
  constant->text = llvm::StringRef(parts.text).copy(file.getArena());
  return finish(constant, start);
}

bool Parser::parseString(StringParts &parts) {
  StringLiteral literal = splitString(text(pos));
  bool isFirst = !parts.hasText && parts.values.empty() && !parts.joined;
  if (!isFirst && literal.bytes != parts.bytes) {
    failAt(pos, "bytes and strings cannot be mixed");
    return false;
  }
  if (literal.bytes)
    for (const char &c : literal.body)
      if (static_cast<unsigned char>(c) >= 0x80) {
        failAt(pos, "bytes can hold only ASCII characters", "write other bytes as \\xNN");
        return false;
      }
  parts.addTokens(pos);
  if (LiteralError wrong = decodeString(literal.body, literal.raw, literal.bytes,
                                        /*braces=*/false, parts.text)) {
    failLiteral(literal.body.data() - source.data() + wrong.offset, wrong.message, wrong.help);
    return false;
  }
  advance();
  return true;
}

bool Parser::parseFString(StringParts &parts) {
  if (parts.bytes) {
    failAt(pos, "bytes and strings cannot be mixed");
    return false;
  }
  bool raw = text(pos).contains_insensitive('r');
  parts.joined = true;
  advance();
  while (!at(TokenKind::FStringEnd)) {
    if (at(TokenKind::FStringMiddle)) {
      if (!parseFStringMiddle(parts, raw, /*isSpec=*/false))
        return false;
    } else if (at(TokenKind::LeftBrace)) {
      if (!parseField(parts, raw))
        return false;
    } else {
      failExpected("the end of the f-string");
      return false;
    }
  }
  advance();
  return true;
}

bool Parser::parseFStringMiddle(StringParts &parts, bool raw, bool isSpec) {
  parts.addTokens(pos);
  if (LiteralError wrong =
          decodeString(text(pos), raw, /*bytes=*/false, /*braces=*/!isSpec, parts.text)) {
    failLiteral(begin(pos) + wrong.offset, wrong.message, wrong.help);
    return false;
  }
  advance();
  return true;
}

bool Parser::parseField(StringParts &parts, bool raw) {
  uint32_t start = pos;
  advance();
  ++bracketDepth;
  if (!at(TokenKind::KwYield) && !startsStarExpression(pos)) {
    failExpected("an expression in the replacement field");
    return false;
  }
  auto *field = make<FormattedValue>();
  if (!(field->value = parseYieldOrStarExpressions()))
    return false;
  bool isDebug = accept(TokenKind::Equal);
  if (isDebug) {
    parts.addTokens(start);
    decodeString(source.slice(end(start), begin(pos)), /*raw=*/true, /*bytes=*/false,
                 /*braces=*/false, parts.text);
  }
  if (at(TokenKind::Exclamation) && !parseConversion(field))
    return false;
  if (at(TokenKind::Colon) && !(field->formatSpec = parseFormatSpec(raw)))
    return false;
  if (!at(TokenKind::RightBrace)) {
    failExpected(isDebug ? "'!', ':' or '}'" : "'=', '!', ':' or '}'");
    return false;
  }
  if (isDebug && !field->conversion && !field->formatSpec)
    field->conversion = 'r';
  --bracketDepth;
  advance();
  parts.flush(*this);
  parts.values.push_back(finish(field, start));
  return true;
}

bool Parser::parseConversion(FormattedValue *field) {
  advance();
  llvm::StringRef letter = at(TokenKind::Name) ? text(pos) : "";
  if (letter.empty()) {
    failExpected("'s', 'r' or 'a' behind '!'");
    return false;
  }
  if (begin(pos) != end(last)) {
    failAt(pos, "a conversion must stand right behind '!'");
    return false;
  }
  if (letter != "s" && letter != "r" && letter != "a") {
    failAt(pos, "invalid conversion '" + letter.str() + "', expected 's', 'r' or 'a'");
    return false;
  }
  field->conversion = letter[0];
  advance();
  return true;
}

JoinedStr *Parser::parseFormatSpec(bool raw) {
  uint32_t start = pos;
  advance();
  StringParts parts;
  while (!at(TokenKind::RightBrace)) {
    if (at(TokenKind::FStringMiddle)) {
      if (!parseFStringMiddle(parts, raw, /*isSpec=*/true))
        return nullptr;
    } else if (at(TokenKind::LeftBrace)) {
      if (!parseField(parts, raw))
        return nullptr;
    } else {
      return failExpected("'}'");
    }
  }
  parts.flush(*this);
  auto *spec = make<JoinedStr>();
  spec->values = copy(parts.values);
  return finish(spec, start);
}
