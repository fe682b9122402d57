// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/Toml.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ConvertUTF.h"

using namespace llvm;

namespace nereid {

StringRef describe(TomlValue::Kind kind) {
  switch (kind) {
  case TomlValue::String:
    return "a string";
  case TomlValue::Integer:
    return "an integer";
  case TomlValue::Float:
    return "a float";
  case TomlValue::Boolean:
    return "a boolean";
  case TomlValue::Array:
    return "an array";
  case TomlValue::Other:
    return "a table or a date";
  }
  return "";
}

namespace {
class TomlReader {
public:
  TomlReader(const SourceFile &file, Diagnostics &diagnostics)
      : file(file), diagnostics(diagnostics), text(file.getText()) {}

  std::optional<std::vector<TomlEntry>> read();

private:
  bool readTable();
  bool readEntry();
  bool readKeys(std::vector<std::string> &path);
  bool readValue(TomlValue &value);
  bool readString(TomlValue &value);
  bool readEscape(std::string &into);
  bool readLongString(TomlValue &value, char quote);
  bool readArray(TomlValue &value);
  bool readInlineTable(TomlValue &value);
  bool readWord(TomlValue &value);

  bool isAtEnd() const { return place >= text.size(); }
  char peek() const { return isAtEnd() ? '\0' : text[place]; }
  bool take(char c) {
    bool isThere = peek() == c && !isAtEnd();
    place += isThere;
    return isThere;
  }
  void skipBlanks() {
    while (peek() == ' ' || peek() == '\t')
      ++place;
  }
  /// Blanks, comments and ends of lines.
  void skipLines();
  bool endLine();
  bool fail(const std::string &message) {
    diagnostics.error(
        {&file,
         {uint32_t(std::min(place, text.size())), uint32_t(std::min(place + 1, text.size()))}},
        message);
    return false;
  }

  const SourceFile &file;
  Diagnostics &diagnostics;
  StringRef text;
  size_t place = 0;
  unsigned depth = 0;
  std::vector<std::string> table;
  std::vector<TomlEntry> entries;
};
} // namespace

void TomlReader::skipLines() {
  while (!isAtEnd()) {
    skipBlanks();
    if (peek() == '#')
      while (!isAtEnd() && peek() != '\n')
        ++place;
    if (peek() != '\n' && peek() != '\r')
      return;
    ++place;
  }
}

bool TomlReader::endLine() {
  skipBlanks();
  if (isAtEnd() || peek() == '#' || peek() == '\n' || peek() == '\r')
    return true;
  return fail("expected the end of the line here");
}

std::optional<std::vector<TomlEntry>> TomlReader::read() {
  if (text.starts_with("\xEF\xBB\xBF"))
    place = 3;
  for (skipLines(); !isAtEnd(); skipLines())
    if (!(peek() == '[' ? readTable() : readEntry()) || !endLine())
      return std::nullopt;
  return std::move(entries);
}

/// `[tool.nereid]` and `[[tool.mypy.overrides]]`.
bool TomlReader::readTable() {
  ++place;
  bool isOfMany = take('[');
  table.clear();
  if (!readKeys(table))
    return false;
  if (!take(']') || (isOfMany && !take(']')))
    return fail(isOfMany ? "expected ']]' here" : "expected ']' here");
  return true;
}

bool TomlReader::readKeys(std::vector<std::string> &path) {
  do {
    skipBlanks();
    TomlValue quoted;
    size_t begin = place;
    if (peek() == '"' || peek() == '\'') {
      if (!readString(quoted))
        return false;
    } else {
      while (isAlnum(peek()) || peek() == '_' || peek() == '-')
        ++place;
      quoted.text = text.slice(begin, place).str();
      if (quoted.text.empty())
        return fail("expected a key here");
    }
    path.push_back(quoted.text);
    skipBlanks();
  } while (take('.'));
  return true;
}

bool TomlReader::readEntry() {
  TomlEntry entry;
  entry.path = table;
  size_t begin = place;
  if (!readKeys(entry.path))
    return false;
  entry.range = {uint32_t(begin), uint32_t(text.take_front(place).rtrim().size())};
  if (!take('='))
    return fail("expected '=' here");
  skipBlanks();
  if (!readValue(entry.value))
    return false;
  entries.push_back(std::move(entry));
  return true;
}

bool TomlReader::readValue(TomlValue &value) {
  constexpr unsigned deepest = 64;
  if (depth > deepest)
    return fail("values are nested too deeply here");
  ++depth;
  size_t begin = place;
  char c = peek();
  bool isRead = c == '"' || c == '\'' ? readString(value)
                : c == '['            ? readArray(value)
                : c == '{'            ? readInlineTable(value)
                                      : readWord(value);
  value.range = {uint32_t(begin), uint32_t(place)};
  --depth;
  return isRead;
}

bool TomlReader::readArray(TomlValue &value) {
  value.kind = TomlValue::Array;
  ++place;
  for (skipLines(); !take(']'); skipLines()) {
    TomlValue item;
    if (isAtEnd())
      return fail("the array does not end");
    if (!readValue(item))
      return false;
    value.items.push_back(std::move(item));
    skipLines();
    if (!take(',') && peek() != ']')
      return fail("expected ',' or ']' here");
  }
  return true;
}

bool TomlReader::readInlineTable(TomlValue &value) {
  value.kind = TomlValue::Other;
  ++place;
  for (skipLines(); !take('}'); skipLines()) {
    std::vector<std::string> path;
    TomlValue item;
    if (isAtEnd())
      return fail("the table does not end");
    if (!readKeys(path))
      return false;
    if (!take('='))
      return fail("expected '=' here");
    skipBlanks();
    if (!readValue(item))
      return false;
    skipLines();
    if (!take(',') && peek() != '}')
      return fail("expected ',' or '}' here");
  }
  return true;
}

bool TomlReader::readEscape(std::string &into) {
  char c = peek();
  ++place;
  static constexpr StringLiteral names = "btnfr\"\\", meant = "\b\t\n\f\r\"\\";
  if (size_t at = names.find(c); at != StringRef::npos) {
    into += meant[at];
    return true;
  }
  unsigned digits = c == 'u' ? 4 : c == 'U' ? 8 : 0, point = 0;
  if (!digits || text.substr(place, digits).getAsInteger(16, point)) {
    --place;
    return fail("no such escape in a string");
  }
  place += digits;
  char bytes[4], *end = bytes;
  if (!ConvertCodePointToUTF8(point, end))
    return fail("no such character");
  into.append(bytes, end);
  return true;
}

bool TomlReader::readString(TomlValue &value) {
  value.kind = TomlValue::String;
  char quote = peek();
  if (text.substr(place).starts_with(std::string(3, quote)))
    return readLongString(value, quote);
  ++place;
  while (!take(quote)) {
    if (isAtEnd() || peek() == '\n')
      return fail("the string does not end in its line");
    if (quote == '"' && take('\\')) {
      if (!readEscape(value.text))
        return false;
    } else {
      value.text += text[place++];
    }
  }
  return true;
}

bool TomlReader::readLongString(TomlValue &value, char quote) {
  std::string end(3, quote);
  place += end.size();
  take('\r');
  take('\n');
  while (!text.substr(place).starts_with(end)) {
    if (isAtEnd())
      return fail("the string does not end");
    if (quote != '"' || !take('\\')) {
      value.text += text[place++];
    } else if (isSpace(peek())) {
      while (!isAtEnd() && isSpace(peek()))
        ++place;
    } else if (!readEscape(value.text)) {
      return false;
    }
  }
  place += end.size();
  // Up to two quotes more belong to the string.
  while (take(quote))
    value.text += quote;
  return true;
}

/// Numbers, dates, true and false. A space may stand between a date and its time.
bool TomlReader::readWord(TomlValue &value) {
  size_t begin = place;
  auto skipWord = [&] {
    while (!isAtEnd() && (isAlnum(peek()) || StringRef("+-_.:").contains(peek())))
      ++place;
  };
  skipWord();
  constexpr size_t lengthOfDate = 10;
  StringRef word = text.slice(begin, place), rest = text.drop_front(place);
  if (word.size() == lengthOfDate && word[4] == '-' && rest.size() > 1 && rest[0] == ' ' &&
      isDigit(rest[1])) {
    ++place;
    skipWord();
  }
  value.text = text.slice(begin, place).str();
  if (value.text.empty())
    return fail("expected a value here");
  std::string plain = value.text;
  erase(plain, '_');
  StringRef digits = plain;
  (void)digits.consume_front("+");
  if (plain == "true" || plain == "false") {
    value.kind = TomlValue::Boolean;
    value.integer = plain == "true";
  } else if (!digits.getAsInteger(10, value.integer)) {
    value.kind = TomlValue::Integer;
    value.number = double(value.integer);
  } else if (!digits.getAsDouble(value.number)) {
    value.kind = TomlValue::Float;
  } else if (!isDigit(plain.front()) && !StringRef("+-").contains(plain.front())) {
    place = begin;
    return fail("expected a value here: strings stand in quotes");
  }
  return true;
}

std::optional<std::vector<TomlEntry>> parseToml(const SourceFile &file, Diagnostics &diagnostics) {
  return TomlReader(file, diagnostics).read();
}

} // namespace nereid
