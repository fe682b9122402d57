// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "python/Literals.h"
#include "python/Printer.h"
#include "python/PrinterImpl.h"
#include "python/Unicode.h"

using namespace nereid;
using namespace nereid::python;

namespace {

/// A stretch of an f-string before its quotes are chosen.
struct Piece {
  enum Form { Text, Spec, Code } form;
  std::string text;
};

using Pieces = std::vector<Piece>;

void collect(const JoinedStr &joined, Piece::Form form, Pieces &pieces);

void collectField(const FormattedValue &field, Pieces &pieces) {
  // The colon of a lambda would end the field; an opening brace must not double that of the field.
  bool isLambda = field.value->kind == Kind::Lambda;
  std::string value;
  llvm::raw_string_ostream os(value);
  ExprPrinter(os).print(*field.value, isLambda ? Precedence::Or : Precedence::Test);
  std::string text = (llvm::StringRef(value).starts_with("{") ? "{ " : "{") + value;
  if (field.conversion)
    text += {'!', field.conversion};
  if (field.formatSpec) {
    pieces.push_back({Piece::Code, text + ":"});
    collect(*field.formatSpec, Piece::Spec, pieces);
    text.clear();
  }
  pieces.push_back({Piece::Code, text + "}"});
}

void collect(const JoinedStr &joined, Piece::Form form, Pieces &pieces) {
  for (const Expr *value : joined.values) {
    if (auto *field = llvm::dyn_cast<FormattedValue>(value))
      collectField(*field, pieces);
    else
      pieces.push_back({form, llvm::cast<Constant>(value)->text.str()});
  }
}

/// Literal text inside given quotes. Braces are doubled, but in a format specification they cannot
/// be and are written as escapes.
std::string escape(llvm::StringRef text, char quote, Piece::Form form) {
  std::string out;
  for (const char *at = text.begin(); at < text.end();) {
    const char *begin = at;
    uint32_t c = decodeUtf8(at);
    if (c == '{' || c == '}')
      out += form == Piece::Text ? std::string(2, c) : c == '{' ? "\\x7b" : "\\x7d";
    else if (c == '\'' || c == '"')
      out += (c == static_cast<unsigned char>(quote) ? "\\" : "") + std::string(1, c);
    else
      out += llvm::StringRef(formatString({begin, size_t(at - begin)})).drop_front().drop_back();
  }
  return out;
}

/// Quotes that the code of no field contains, so that Python before 3.12 reads the string too.
llvm::StringRef chooseQuotes(const Pieces &pieces) {
  for (llvm::StringRef quotes : {"\"", "'", "\"\"\"", "'''"})
    if (llvm::none_of(pieces, [&](const Piece &piece) {
          return piece.form == Piece::Code && llvm::StringRef(piece.text).contains(quotes);
        }))
      return quotes;
  return "\"";
}

} // namespace

void ExprPrinter::printFString(const JoinedStr &joined) {
  Pieces pieces;
  collect(joined, Piece::Text, pieces);
  llvm::StringRef quotes = chooseQuotes(pieces);
  // Strings with the prefix u that were joined with an f-string left their mark on its texts.
  for (const Expr *value : joined.values)
    if (auto *constant = llvm::dyn_cast<Constant>(value); constant && constant->unicodePrefix) {
      os << "u\"\" ";
      break;
    }
  os << 'f' << quotes;
  for (const Piece &piece : pieces)
    os << (piece.form == Piece::Code ? piece.text : escape(piece.text, quotes[0], piece.form));
  os << quotes;
}
