// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Splits a decoded file into tokens: indentation, joined lines, comments and f-strings (in the
// nesting grammar of Python 3.12). The whole file is lexed before it is parsed; at an error the
// stream ends, and the parser decides whether its own error or this one is the one to report.
#pragma once

#include "python/Token.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace nereid::python {

/// What the lexer found wrong; an empty message means nothing.
struct LexError {
  SourceRange range;
  std::string message;
  std::string help;
  /// The end of the file was met inside brackets: `range` is the opening one.
  bool isUnclosed = false;
  /// About layout: it matters only to a parser that has got so far.
  bool isLayout = false;

  explicit operator bool() const { return !message.empty(); }
};

class Lexer {
public:
  Lexer(const SourceFile &source, std::vector<Token> &tokens);

  /// Lexes everything. The stream always ends with EndOfFile; on an error it ends at its place.
  void run();
  const LexError &getError() const { return error; }

private:
  struct Bracket {
    char open;
    uint32_t offset;
    /// The brace of a replacement field of an f-string.
    bool isField;
  };
  struct Indentation {
    uint32_t column;
    /// The column when a tab is one blank wide: equal columns must agree in both.
    uint32_t alternative;
  };
  struct FString {
    uint32_t begin;
    char quote;
    bool triple;
    bool raw;
  };

  // Lexer.cpp
  void lexLineStart();
  void applyIndentation(uint32_t column, uint32_t alternative);
  void lexToken();
  void lexNewline();
  void lexComment();
  bool joinLines();
  void finish();
  void lexPunctuation();
  void openBracket(char c);
  void closeBracket(char c);

  // LexerText.cpp
  void lexWord();
  bool lexStringPrefix();
  void lexUnicodeWord(const char *begin);
  void lexString(const char *begin, const char *quote);
  void lexFString(const char *begin, const char *quote, bool raw);
  void lexFStringText(const FString &string, bool isSpec);
  void lexField(const FString &string);
  bool atFStringEnd(const FString &string) const;
  const char *skipFStringText(const FString &string, bool isSpec);
  void failUnterminated(const FString &string);

  // LexerNumber.cpp
  void lexNumber();
  bool lexDigits(bool (*isDigit)(char), const char *kind);
  bool lexRadixNumber(bool (*isDigit)(char), const char *kind);
  bool lexFraction(const char *begin);
  bool checkNumberEnd(const char *kind);

  void push(TokenKind kind, const char *begin, const char *end) {
    tokens.push_back({kind, {offsetOf(begin), offsetOf(end)}});
  }
  uint32_t offsetOf(const char *at) const { return at - text.data(); }
  void fail(const char *begin, const char *end, std::string message, std::string help = "");
  void failLayout(const char *begin, const char *end, std::string message, std::string help = "");

  llvm::StringRef text;
  std::vector<Token> &tokens;
  const char *cursor;
  const char *end;
  /// A token has been seen on the current logical line.
  bool inLine = false;
  bool atLineStart = true;
  llvm::SmallVector<Bracket, 16> brackets;
  llvm::SmallVector<Indentation, 16> indentations;
  /// The f-strings around the cursor.
  llvm::SmallVector<FString, 4> fstrings;
  LexError error;
};

} // namespace nereid::python
