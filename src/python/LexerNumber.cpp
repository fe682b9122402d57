// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "python/Lexer.h"
#include "python/Unicode.h"

#include "llvm/ADT/StringExtras.h"

using namespace nereid;
using namespace nereid::python;

static bool isDecimal(char c) { return llvm::isDigit(c); }
static bool isHexadecimal(char c) { return llvm::isHexDigit(c); }
static bool isOctal(char c) { return c >= '0' && c <= '7'; }
static bool isBinary(char c) { return c == '0' || c == '1'; }

/// Keywords may follow a number without a blank: `0 if x else 1` is often written `0if x else 1`.
static bool isKeywordAfterNumber(llvm::StringRef rest) {
  for (llvm::StringRef word : {"and", "else", "for", "if", "in", "is", "or", "not"})
    if (rest.starts_with(word))
      return true;
  return false;
}

bool Lexer::checkNumberEnd(const char *kind) {
  char c = *cursor;
  bool isWord = llvm::isAlnum(c) || c == '_' || static_cast<unsigned char>(c) >= 0x80;
  if (!isWord || isKeywordAfterNumber(llvm::StringRef(cursor, end - cursor).substr(0, 4)))
    return true;
  if (static_cast<unsigned char>(c) >= 0x80) {
    const char *at = cursor;
    if (!isIdentifierPart(decodeUtf8(at)))
      return true; // an error of its own, told by the next token
  }
  // The place is that of the last character of the number, as CPython has it.
  fail(cursor - 1, cursor, std::string("invalid ") + kind + " literal");
  return false;
}

/// Digits that single underscores may separate; the cursor is at a digit.
bool Lexer::lexDigits(bool (*isDigit)(char), const char *kind) {
  for (;;) {
    while (isDigit(*cursor))
      ++cursor;
    if (*cursor != '_')
      return true;
    ++cursor;
    if (!isDigit(*cursor)) {
      fail(cursor - 1, cursor, std::string("invalid ") + kind + " literal");
      return false;
    }
  }
}

bool Lexer::lexRadixNumber(bool (*isDigit)(char), const char *kind) {
  cursor += 2;
  if (*cursor == '_')
    ++cursor;
  if (!isDigit(*cursor)) {
    if (llvm::isDigit(*cursor))
      fail(cursor, cursor + 1,
           std::string("invalid digit '") + *cursor + "' in " + kind + " literal");
    else
      fail(cursor - 1, cursor, std::string("invalid ") + kind + " literal");
    return false;
  }
  if (!lexDigits(isDigit, kind))
    return false;
  if (llvm::isDigit(*cursor)) {
    fail(cursor, cursor + 1,
         std::string("invalid digit '") + *cursor + "' in " + kind + " literal");
    return false;
  }
  return checkNumberEnd(kind);
}

/// The fraction, exponent and imaginary suffix of a decimal number.
bool Lexer::lexFraction(const char *begin) {
  if (*cursor == '.') {
    ++cursor;
    if (llvm::isDigit(*cursor) && !lexDigits(isDecimal, "decimal"))
      return false;
  }
  if (*cursor == 'e' || *cursor == 'E') {
    const char *digits = cursor + (cursor[1] == '+' || cursor[1] == '-' ? 2 : 1);
    if (llvm::isDigit(*digits)) {
      cursor = digits;
      if (!lexDigits(isDecimal, "decimal"))
        return false;
    } else if (digits != cursor + 1) {
      cursor = digits;
      fail(cursor - 1, cursor, "invalid decimal literal");
      return false;
    }
  }
  if (*cursor == 'j' || *cursor == 'J') {
    ++cursor;
    return checkNumberEnd("imaginary");
  }
  return checkNumberEnd("decimal");
}

void Lexer::lexNumber() {
  const char *begin = cursor;
  bool ok = true;
  char radix = *cursor == '0' ? llvm::toLower(cursor[1]) : 0;
  if (radix == 'x') {
    ok = lexRadixNumber(isHexadecimal, "hexadecimal");
  } else if (radix == 'o') {
    ok = lexRadixNumber(isOctal, "octal");
  } else if (radix == 'b') {
    ok = lexRadixNumber(isBinary, "binary");
  } else {
    if (*cursor != '.')
      ok = lexDigits(isDecimal, "decimal");
    const char *stop = cursor;
    ok = ok && lexFraction(begin);
    llvm::StringRef digits(begin, stop - begin);
    bool isInt = cursor == stop;
    if (ok && isInt && digits.size() > 1 && digits[0] == '0' &&
        digits.find_first_not_of("0_") != llvm::StringRef::npos) {
      fail(begin, cursor, "a decimal integer cannot start with zeros",
           "write 0o for an octal number, or drop the zeros");
      return;
    }
  }
  if (ok)
    push(TokenKind::Number, begin, cursor);
}
