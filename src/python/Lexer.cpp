// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "python/Lexer.h"

#include "python/Encoding.h"

#include "llvm/ADT/StringExtras.h"

using namespace nereid;
using namespace nereid::python;

// CPython's own limits: what it refuses is refused here, and the parser's stack stays bounded.
static constexpr size_t maxBrackets = 200;
static constexpr size_t maxIndentations = 100;

const char *nereid::python::spell(TokenKind kind) {
  switch (kind) {
  case TokenKind::EndOfFile:
    return "end of file";
  case TokenKind::Newline:
  case TokenKind::BlankLine:
    return "end of line";
  case TokenKind::Comment:
    return "comment";
  case TokenKind::Indent:
    return "indentation";
  case TokenKind::Dedent:
    return "end of block";
  case TokenKind::Name:
    return "name";
  case TokenKind::Number:
    return "number";
  case TokenKind::String:
    return "string";
  case TokenKind::FStringStart:
  case TokenKind::FStringMiddle:
  case TokenKind::FStringEnd:
    return "f-string";
  case TokenKind::Unknown:
    return "character";
#define NEREID_PYTHON_KEYWORD(NAME, TEXT)                                                          \
  case TokenKind::Kw##NAME:                                                                        \
    return TEXT;
#define NEREID_PYTHON_PUNCTUATION(NAME, TEXT)                                                      \
  case TokenKind::NAME:                                                                            \
    return TEXT;
#include "python/TokenKinds.def"
  }
  return "";
}

Lexer::Lexer(const SourceFile &source, std::vector<Token> &tokens)
    : text(source.getText()), tokens(tokens), cursor(text.begin()), end(text.end()) {
  cursor += getByteOrderMarkSize(text);
  indentations.push_back({0, 0});
  // Real programs have about one token per five bytes.
  tokens.reserve(text.size() / 4 + 16);
}

void Lexer::fail(const char *begin, const char *stop, std::string message, std::string help) {
  if (!error)
    error = {{offsetOf(begin), offsetOf(stop)}, std::move(message), std::move(help)};
}

void Lexer::failLayout(const char *begin, const char *stop, std::string message, std::string help) {
  fail(begin, stop, std::move(message), std::move(help));
  error.isLayout = true;
}

void Lexer::run() {
  while (!error) {
    if (atLineStart)
      lexLineStart();
    if (error || cursor == end)
      break;
    lexToken();
  }
  finish();
}

void Lexer::finish() {
  if (!error && !brackets.empty()) {
    const char *open = text.data() + brackets.back().offset;
    fail(open, open + 1, std::string("'") + *open + "' is never closed");
    error.isUnclosed = true;
  }
  if (!error) {
    if (inLine)
      push(TokenKind::Newline, end, end);
    for (; indentations.size() > 1; indentations.pop_back())
      push(TokenKind::Dedent, end, end);
  }
  const char *stop = error && !error.isUnclosed ? text.data() + error.range.begin : end;
  push(TokenKind::EndOfFile, stop, stop);
}

/// Measures the blanks at the beginning of a line. Lines without tokens do not count.
void Lexer::lexLineStart() {
  uint32_t column = 0, alternative = 0, joined = 0;
  atLineStart = false;
  for (;; ++cursor) {
    char c = *cursor;
    if (c == ' ') {
      ++column, ++alternative;
    } else if (c == '\t') {
      column = (column / 8 + 1) * 8, ++alternative;
    } else if (c == '\f') {
      column = alternative = 0;
    } else if (c == '\\') {
      // The first backslash fixes the column of what follows.
      joined = joined ? joined : column;
      if (!joinLines())
        return;
      --cursor;
    } else {
      break;
    }
  }
  if (cursor == end || *cursor == '#' || *cursor == '\n' || *cursor == '\r')
    return;
  applyIndentation(joined ? joined : column, joined ? joined : alternative);
}

void Lexer::applyIndentation(uint32_t column, uint32_t alternative) {
  const char *inconsistent = "inconsistent use of tabs and blanks in indentation";
  if (column > indentations.back().column) {
    if (alternative <= indentations.back().alternative)
      return failLayout(cursor, cursor, inconsistent, "indent with blanks only");
    if (indentations.size() >= maxIndentations)
      return failLayout(cursor, cursor, "more than 100 levels of indentation");
    indentations.push_back({column, alternative});
    return push(TokenKind::Indent, cursor, cursor);
  }
  size_t outer = indentations.size();
  while (column < indentations[outer - 1].column)
    --outer;
  // Blocks are closed only once it is clear which: else the parser would complain about the end.
  if (column != indentations[outer - 1].column)
    return failLayout(cursor, cursor, "the indentation matches no outer block");
  if (alternative != indentations[outer - 1].alternative)
    return failLayout(cursor, cursor, inconsistent, "indent with blanks only");
  for (; indentations.size() > outer; indentations.pop_back())
    push(TokenKind::Dedent, cursor, cursor);
}

/// Consumes a backslash and the line end behind it.
bool Lexer::joinLines() {
  const char *backslash = cursor++;
  if (cursor != end && *cursor == '\r' && cursor[1] == '\n')
    ++cursor;
  if (cursor == end || (*cursor != '\n' && *cursor != '\r')) {
    if (cursor == end)
      failLayout(backslash, cursor, "unexpected end of file after a backslash");
    else
      failLayout(cursor, cursor + 1, "unexpected character after a backslash at the end of a line");
    return false;
  }
  ++cursor;
  if (cursor == end) {
    failLayout(backslash, backslash + 1, "unexpected end of file after a backslash");
    return false;
  }
  return true;
}

void Lexer::lexNewline() {
  const char *begin = cursor;
  cursor += *cursor == '\r' && cursor[1] == '\n' ? 2 : 1;
  if (!brackets.empty() || !inLine)
    push(TokenKind::BlankLine, begin, cursor);
  else
    push(TokenKind::Newline, begin, cursor);
  if (brackets.empty()) {
    inLine = false;
    atLineStart = true;
  }
}

void Lexer::lexComment() {
  const char *begin = cursor;
  while (cursor != end && *cursor != '\n' && *cursor != '\r')
    ++cursor;
  push(TokenKind::Comment, begin, cursor);
}

void Lexer::lexToken() {
  while (*cursor == ' ' || *cursor == '\t' || *cursor == '\f')
    ++cursor;
  char c = *cursor;
  if (cursor == end)
    return;
  if (c == '\n' || c == '\r')
    return lexNewline();
  if (c == '#')
    return lexComment();
  if (c == '\\') {
    joinLines();
    return;
  }
  inLine = true;
  if (llvm::isAlpha(c) || c == '_' || static_cast<unsigned char>(c) >= 0x80)
    return lexWord();
  if (llvm::isDigit(c) || (c == '.' && llvm::isDigit(cursor[1])))
    return lexNumber();
  if (c == '"' || c == '\'')
    return lexString(cursor, cursor);
  lexPunctuation();
}

void Lexer::openBracket(char c) {
  if (brackets.size() >= maxBrackets)
    return fail(cursor, cursor + 1, "too many nested parentheses",
                "name the inner parts and use the names");
  brackets.push_back({c, offsetOf(cursor), false});
}

static bool isPair(char open, char close) {
  return (open == '(' && close == ')') || (open == '[' && close == ']') ||
         (open == '{' && close == '}');
}

void Lexer::closeBracket(char c) {
  if (brackets.empty() || brackets.back().isField)
    return fail(cursor, cursor + 1, std::string("'") + c + "' closes nothing");
  Bracket open = brackets.pop_back_val();
  if (isPair(open.open, c))
    return;
  fail(cursor, cursor + 1,
       std::string("'") + c + "' does not match the opening '" + open.open + "'");
}

namespace {

struct Operator {
  TokenKind kind;
  uint8_t size;
};

/// An operator that may be doubled, followed by '=', or both: * ** *= **=.
Operator lexDoubled(const char *at, TokenKind one, TokenKind oneEqual, TokenKind two,
                    TokenKind twoEqual) {
  if (at[1] == at[0])
    return at[2] == '=' ? Operator{twoEqual, 3} : Operator{two, 2};
  return at[1] == '=' ? Operator{oneEqual, 2} : Operator{one, 1};
}

Operator lexEqual(const char *at, TokenKind one, TokenKind oneEqual) {
  return at[1] == '=' ? Operator{oneEqual, 2} : Operator{one, 1};
}

Operator lexCompared(const char *at, TokenKind one, TokenKind equal, TokenKind shift,
                     TokenKind shiftEqual) {
  if (at[0] == '<' && at[1] == '>')
    return {TokenKind::Unknown, 2};
  return lexDoubled(at, one, equal, shift, shiftEqual);
}

Operator lexOperator(const char *at) {
  using enum TokenKind;
  switch (*at) {
  case '(':
    return {LeftParen, 1};
  case ')':
    return {RightParen, 1};
  case '[':
    return {LeftBracket, 1};
  case ']':
    return {RightBracket, 1};
  case '{':
    return {LeftBrace, 1};
  case '}':
    return {RightBrace, 1};
  case ',':
    return {Comma, 1};
  case ';':
    return {Semicolon, 1};
  case '~':
    return {Tilde, 1};
  case ':':
    return lexEqual(at, Colon, ColonEqual);
  case '=':
    return lexEqual(at, Equal, EqualEqual);
  case '!':
    return lexEqual(at, Exclamation, NotEqual);
  case '+':
    return lexEqual(at, Plus, PlusEqual);
  case '%':
    return lexEqual(at, Percent, PercentEqual);
  case '@':
    return lexEqual(at, At, AtEqual);
  case '&':
    return lexEqual(at, Ampersand, AmpersandEqual);
  case '|':
    return lexEqual(at, Bar, BarEqual);
  case '^':
    return lexEqual(at, Caret, CaretEqual);
  case '-':
    return at[1] == '>' ? Operator{Arrow, 2} : lexEqual(at, Minus, MinusEqual);
  case '*':
    return lexDoubled(at, Star, StarEqual, DoubleStar, DoubleStarEqual);
  case '/':
    return lexDoubled(at, Slash, SlashEqual, DoubleSlash, DoubleSlashEqual);
  case '<':
    return lexCompared(at, Less, LessEqual, LeftShift, LeftShiftEqual);
  case '>':
    return lexCompared(at, Greater, GreaterEqual, RightShift, RightShiftEqual);
  case '.':
    return at[1] == '.' && at[2] == '.' ? Operator{Ellipsis, 3} : Operator{Dot, 1};
  default:
    return {Unknown, 1};
  }
}

} // namespace

void Lexer::lexPunctuation() {
  char c = *cursor;
  Operator op = lexOperator(cursor);
  if (op.kind == TokenKind::Unknown && (static_cast<unsigned char>(c) < 0x20 || c == 0x7f))
    return fail(cursor, cursor + 1,
                "invalid non-printable character U+" + llvm::utohexstr(c, false, 4));
  if (c == '(' || c == '[' || c == '{')
    openBracket(c);
  else if (c == ')' || c == ']' || c == '}')
    closeBracket(c);
  if (error)
    return;
  push(op.kind, cursor, cursor + op.size);
  cursor += op.size;
}
