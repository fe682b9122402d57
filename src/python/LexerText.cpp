// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "python/Lexer.h"
#include "python/Unicode.h"

#include "llvm/ADT/StringExtras.h"

#include <array>

using namespace nereid;
using namespace nereid::python;

static constexpr size_t maxNestedFStrings = 150;

namespace {

struct Word {
  llvm::StringLiteral text;
  TokenKind kind;
};

constexpr Word words[] = {
#define NEREID_PYTHON_KEYWORD(NAME, TEXT) {TEXT, TokenKind::Kw##NAME},
#include "python/TokenKinds.def"
};

constexpr size_t hashWord(const char *text, size_t size) {
  auto c = [&](size_t i) -> size_t { return static_cast<unsigned char>(text[i]); };
  return (size * 49 + c(0) * 9 + c(1) * 5 + c(size - 1) * 3) % 256;
}

/// Keywords by hash; each chain is as short as the few collisions make it.
struct KeywordTable {
  std::array<uint8_t, 256> first{};
  std::array<uint8_t, std::size(words) + 1> next{};

  constexpr KeywordTable() {
    for (size_t i = 0; i < std::size(words); ++i) {
      size_t hash = hashWord(words[i].text.data(), words[i].text.size());
      next[i + 1] = first[hash];
      first[hash] = i + 1;
    }
  }
};

constexpr KeywordTable keywords;

TokenKind classifyWord(const char *begin, const char *end) {
  size_t size = end - begin;
  if (size < 2 || size > 8)
    return TokenKind::Name;
  for (uint8_t i = keywords.first[hashWord(begin, size)]; i; i = keywords.next[i])
    if (words[i - 1].text == llvm::StringRef(begin, size))
      return words[i - 1].kind;
  return TokenKind::Name;
}

constexpr std::array<bool, 256> makeWordBytes() {
  std::array<bool, 256> table{};
  for (int c = 0; c < 256; ++c)
    table[c] =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  return table;
}

constexpr std::array<bool, 256> wordBytes = makeWordBytes();

} // namespace

void Lexer::lexWord() {
  if (lexStringPrefix())
    return;
  const char *begin = cursor;
  while (wordBytes[static_cast<unsigned char>(*cursor)])
    ++cursor;
  if (static_cast<unsigned char>(*cursor) >= 0x80)
    return lexUnicodeWord(begin);
  push(classifyWord(begin, cursor), begin, cursor);
}

/// Lexes a string if the word at the cursor is a prefix with a quote behind it.
bool Lexer::lexStringPrefix() {
  bool raw = false, bytes = false, unicode = false, formatted = false;
  const char *at = cursor;
  for (;; ++at) {
    char c = llvm::toLower(*at);
    bool isNew = false;
    if (c == 'r')
      isNew = !raw && !unicode, raw = true;
    else if (c == 'b')
      isNew = !bytes && !unicode && !formatted, bytes = true;
    else if (c == 'u')
      isNew = !raw && !bytes && !unicode && !formatted, unicode = true;
    else if (c == 'f')
      isNew = !formatted && !bytes && !unicode, formatted = true;
    else
      break;
    if (!isNew)
      return false;
  }
  if (*at != '"' && *at != '\'')
    return false;
  if (formatted)
    lexFString(cursor, at, raw);
  else
    lexString(cursor, at);
  return true;
}

void Lexer::lexUnicodeWord(const char *begin) {
  cursor = begin;
  while (wordBytes[static_cast<unsigned char>(*cursor)] ||
         static_cast<unsigned char>(*cursor) >= 0x80) {
    const char *at = cursor;
    uint32_t c = decodeUtf8(cursor);
    // A name may begin or go on with characters that are so only in compatibility form: those
    // tables are closed under that form.
    if (at == begin ? isIdentifierStart(c) : isIdentifierPart(c))
      continue;
    std::string code = "U+" + llvm::utohexstr(c, /*LowerCase=*/false, 4);
    if (isPrintable(c))
      fail(at, cursor, "invalid character '" + std::string(at, cursor) + "' (" + code + ")");
    else
      fail(at, cursor, "invalid non-printable character " + code);
    return;
  }
  push(TokenKind::Name, begin, cursor);
}

static unsigned countLines(const char *begin, const char *end) {
  unsigned lines = 0;
  for (const char *at = begin; at != end; ++at)
    lines += *at == '\n' || (*at == '\r' && at[1] != '\n');
  return lines;
}

/// Lexes a string or bytes literal, `quote` pointing at its opening quote.
void Lexer::lexString(const char *begin, const char *quote) {
  bool triple = quote[1] == *quote && quote[2] == *quote;
  for (cursor = quote + (triple ? 3 : 1); cursor != end; ++cursor) {
    char c = *cursor;
    if (c == '\\') {
      if (cursor + 1 == end)
        break;
      ++cursor;
      if (*cursor == '\r' && cursor[1] == '\n')
        ++cursor;
    } else if (c == *quote && (!triple || (cursor[1] == c && cursor[2] == c))) {
      cursor += triple ? 3 : 1;
      return push(TokenKind::String, begin, cursor);
    } else if (!triple && (c == '\n' || c == '\r')) {
      break;
    }
  }
  // A quote that cannot be closed in a replacement field was meant to end the f-string.
  if (!fstrings.empty() && fstrings.back().quote == *quote && fstrings.back().triple == triple)
    return fail(quote, quote + 1, "f-string: expected '}' before the end of the string");
  std::string what = triple ? "triple-quoted string" : "string";
  std::string help = triple ? "" : "close it with " + std::string(1, *quote) + " on the same line";
  fail(quote == begin ? quote : begin, quote + 1,
       what + " is never closed (read for " + std::to_string(1 + countLines(quote, cursor)) +
           " lines)",
       help);
}

bool Lexer::atFStringEnd(const FString &string) const {
  return *cursor == string.quote &&
         (!string.triple || (cursor[1] == string.quote && cursor[2] == string.quote));
}

void Lexer::failUnterminated(const FString &string) {
  const char *begin = text.data() + string.begin;
  fail(begin, begin + 1,
       std::string(string.triple ? "triple-quoted " : "") + "f-string is never closed");
}

void Lexer::lexFString(const char *begin, const char *quote, bool raw) {
  bool triple = quote[1] == *quote && quote[2] == *quote;
  cursor = quote + (triple ? 3 : 1);
  push(TokenKind::FStringStart, begin, cursor);
  if (fstrings.size() >= maxNestedFStrings)
    return fail(begin, cursor, "too many nested f-strings");
  FString string{offsetOf(begin), *quote, triple, raw};
  fstrings.push_back(string);
  while (!error) {
    lexFStringText(string, /*isSpec=*/false);
    if (error || atFStringEnd(string))
      break;
    lexField(string);
  }
  fstrings.pop_back();
  if (error)
    return;
  push(TokenKind::FStringEnd, cursor, cursor + (triple ? 3 : 1));
  cursor += triple ? 3 : 1;
}

/// The end of `\N{...}` whose backslash `at` points at, or null.
static const char *skipCharacterName(const char *at) {
  if (at[1] != 'N' || at[2] != '{')
    return nullptr;
  // Only what may stand in a name is looked at: the brace may be missing.
  for (at += 3; llvm::isAlnum(*at) || *at == ' ' || *at == '-'; ++at) {
  }
  return *at == '}' ? at + 1 : nullptr;
}

/// Moves over literal text up to a field, the end of the string or, in a format specification, the
/// end of the field. Returns where doubled braces and the rest end, or null after an error.
const char *Lexer::skipFStringText(const FString &string, bool isSpec) {
  for (; cursor != end; ++cursor) {
    char c = *cursor;
    if (c == string.quote && atFStringEnd(string))
      return cursor;
    if (c == '\\') {
      const char *named = string.raw ? nullptr : skipCharacterName(cursor);
      if (named)
        cursor = named - 1;
      else if (cursor[1] == '\r' && cursor[2] == '\n')
        cursor += 2;
      else if (cursor + 1 != end && cursor[1] != '{' && cursor[1] != '}')
        ++cursor;
    } else if (c == '{') {
      if (isSpec || cursor[1] != '{')
        return cursor;
      ++cursor;
    } else if (c == '}') {
      if (isSpec)
        return cursor;
      if (cursor[1] != '}') {
        fail(cursor, cursor + 1, "f-string: single '}' is not allowed", "write '}}' for a brace");
        return nullptr;
      }
      ++cursor;
    } else if ((c == '\n' || c == '\r') && !string.triple) {
      break;
    }
  }
  failUnterminated(string);
  return nullptr;
}

void Lexer::lexFStringText(const FString &string, bool isSpec) {
  const char *begin = cursor;
  const char *stop = skipFStringText(string, isSpec);
  if (stop && stop != begin)
    push(TokenKind::FStringMiddle, begin, stop);
}

/// Lexes a replacement field from its opening to its closing brace.
void Lexer::lexField(const FString &string) {
  const char *open = cursor;
  openBracket('{');
  if (error)
    return;
  brackets.back().isField = true;
  size_t depth = brackets.size();
  push(TokenKind::LeftBrace, cursor, cursor + 1);
  ++cursor;
  bool isSpec = false;
  while (!error) {
    if (isSpec) {
      lexFStringText(string, /*isSpec=*/true);
      if (error)
        return;
      if (*cursor == '{') {
        lexField(string);
        continue;
      }
      if (*cursor != '}')
        return fail(cursor, cursor + 1, "f-string: expected '}' before the end of the string");
    }
    while (*cursor == ' ' || *cursor == '\t' || *cursor == '\f')
      ++cursor;
    if (cursor == end)
      return fail(open, open + 1, "f-string: '{' is never closed");
    bool atField = brackets.size() == depth;
    if (atField && *cursor == '}') {
      brackets.pop_back();
      push(TokenKind::RightBrace, cursor, cursor + 1);
      ++cursor;
      return;
    }
    if (atField && (*cursor == ':' || (*cursor == '!' && cursor[1] != '='))) {
      isSpec = *cursor == ':';
      push(isSpec ? TokenKind::Colon : TokenKind::Exclamation, cursor, cursor + 1);
      ++cursor;
      continue;
    }
    lexToken();
  }
}
