// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tokens of a Python file, comments and blank lines included, in the order of the text. AST nodes
// name their first and last token by index, so that a printer or a diagnostic can go back to what
// was written.
#pragma once

#include "support/Source.h"

#include <cstdint>

namespace nereid::python {

enum class TokenKind : uint8_t {
  // Structure.
  EndOfFile,
  Newline,   ///< ends a logical line
  BlankLine, ///< a line end that ends no statement
  Comment,
  Indent,
  Dedent,
  // Words and literals.
  Name,
  Number,
  String,       ///< a whole string or bytes literal, prefix and quotes included
  FStringStart, ///< prefix and opening quote
  FStringMiddle,
  FStringEnd,
  Unknown, ///< a character that starts nothing
#define NEREID_PYTHON_KEYWORD(NAME, TEXT) Kw##NAME,
#define NEREID_PYTHON_PUNCTUATION(NAME, TEXT) NAME,
#include "python/TokenKinds.def"
};

struct Token {
  TokenKind kind = TokenKind::EndOfFile;
  SourceRange range;

  bool isTrivia() const { return kind == TokenKind::BlankLine || kind == TokenKind::Comment; }
};

/// The fixed spelling of a keyword or of punctuation; a description such as "name" for the others.
const char *spell(TokenKind kind);

} // namespace nereid::python
