// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "python/Literals.h"

#include "python/Unicode.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Unicode.h"

#include <charconv>
#include <cmath>
#include <limits>

using namespace nereid;
using namespace nereid::python;

// As CPython: longer decimal numbers take quadratic time to convert.
static constexpr size_t maxDecimalDigits = 4300;

static double readDouble(llvm::StringRef digits) {
  double value = 0;
  auto [end, code] = std::from_chars(digits.begin(), digits.end(), value);
  if (code != std::errc::result_out_of_range)
    return value;
  // Too large or too small: the sign of the exponent tells, but digits count too ("0.00...1e400").
  size_t e = digits.find_first_of("eE");
  llvm::StringRef mantissa = digits.substr(0, e);
  size_t first = mantissa.find_first_of("123456789");
  size_t point = mantissa.find('.');
  bool negative = e != llvm::StringRef::npos && digits.substr(e + 1).starts_with("-");
  llvm::StringRef power = e == llvm::StringRef::npos ? "0" : digits.substr(e + 1).ltrim("+-");
  int64_t exponent = 0;
  if (power.getAsInteger(10, exponent))
    exponent = std::numeric_limits<int32_t>::max();
  int64_t scale = static_cast<int64_t>(point == llvm::StringRef::npos ? mantissa.size() : point) -
                  static_cast<int64_t>(first);
  return (negative ? -exponent : exponent) + scale > 0 ? HUGE_VAL : 0.0;
}

LiteralError nereid::python::readNumber(llvm::StringRef text, llvm::BumpPtrAllocator &arena,
                                        Constant &constant) {
  llvm::SmallString<32> digits;
  for (char c : text)
    if (c != '_')
      digits += c;
  llvm::StringRef all = digits;
  bool radix = all.size() > 1 && all[0] == '0' && llvm::isAlpha(all[1]) && all[1] != 'e' &&
               all[1] != 'E' && all[1] != 'j' && all[1] != 'J';
  if (!radix && all.find_first_of(".eEjJ") != llvm::StringRef::npos) {
    bool imaginary = all.back() == 'j' || all.back() == 'J';
    constant.type = imaginary ? ConstantType::Complex : ConstantType::Float;
    constant.number = readDouble(imaginary ? all.drop_back() : all);
    return {};
  }
  constant.type = ConstantType::Int;
  if (radix) {
    char c = llvm::toLower(all[1]);
    constant.radix = c == 'x' ? 16 : c == 'o' ? 8 : 2;
    all = all.drop_front(2);
  }
  if (!radix && all.size() > maxDecimalDigits)
    return {0,
            "a decimal integer of " + std::to_string(all.size()) + " digits, at most 4300 are read",
            "write it in hexadecimal"};
  all = all.ltrim('0');
  constant.text = all.empty() ? llvm::StringRef("0") : all.copy(arena);
  return {};
}

std::optional<int64_t> Constant::getInt64() const {
  int64_t value = 0;
  if (!isInt() || text.getAsInteger(radix, value))
    return std::nullopt;
  return value;
}

llvm::APInt Constant::getInt() const {
  llvm::APInt value(1, 0);
  if (isInt())
    (void)text.getAsInteger(radix, value);
  return value;
}

std::string Constant::getDecimal() const {
  if (radix == 10)
    return text.str();
  return llvm::toString(getInt(), 10, /*Signed=*/false);
}

StringLiteral nereid::python::splitString(llvm::StringRef token) {
  StringLiteral result;
  while (token.front() != '"' && token.front() != '\'') {
    char c = llvm::toLower(token.front());
    result.raw |= c == 'r';
    result.bytes |= c == 'b';
    result.unicode |= c == 'u';
    token = token.drop_front();
  }
  bool triple = token.size() >= 6 && token[1] == token[0] && token[2] == token[0];
  result.body = token.drop_front(triple ? 3 : 1).drop_back(triple ? 3 : 1);
  return result;
}

namespace {

class StringDecoder {
public:
  StringDecoder(llvm::StringRef body, bool raw, bool bytes, bool braces, std::string &value)
      : body(body), raw(raw), bytes(bytes), braces(braces), value(value) {}

  LiteralError run();

private:
  void decodeEscape();
  void decodeOctal();
  void decodeHex(unsigned count, const char *form);
  void decodeCharacterName();
  void put(uint32_t c) {
    if (bytes)
      value += static_cast<char>(c);
    else
      appendUtf8(c, value);
  }
  void fail(size_t offset, std::string message, std::string help = "") {
    if (!error)
      error = {static_cast<uint32_t>(offset), std::move(message), std::move(help)};
  }

  llvm::StringRef body;
  bool raw, bytes, braces;
  std::string &value;
  size_t at = 0;
  LiteralError error;
};

LiteralError StringDecoder::run() {
  while (at < body.size() && !error) {
    size_t plain = body.find_first_of(braces ? "\\\r{}" : "\\\r", at);
    value += body.slice(at, plain);
    at = std::min(plain, body.size());
    if (at == body.size())
      break;
    if (body[at] == '\r') {
      value += '\n';
      at += body.substr(at).starts_with("\r\n") ? 2 : 1;
    } else if (body[at] != '\\') {
      value += body[at];
      at += body.substr(at + 1).starts_with(body.substr(at, 1)) ? 2 : 1;
    } else if (raw) {
      value += body[at++];
    } else {
      decodeEscape();
    }
  }
  return std::move(error);
}

void StringDecoder::decodeEscape() {
  char c = at + 1 < body.size() ? body[at + 1] : '\\';
  const char *simple = "\\\\''\"\"a\ab\bf\fn\nr\rt\tv\v";
  for (const char *pair = simple; *pair; pair += 2)
    if (*pair == c) {
      value += pair[1];
      at += 2;
      return;
    }
  if (c == '\n' || c == '\r') {
    at += body.substr(at + 1).starts_with("\r\n") ? 3 : 2;
  } else if (c >= '0' && c <= '7') {
    decodeOctal();
  } else if (c == 'x') {
    decodeHex(2, "\\xXX");
  } else if (c == 'u' && !bytes) {
    decodeHex(4, "\\uXXXX");
  } else if (c == 'U' && !bytes) {
    decodeHex(8, "\\UXXXXXXXX");
  } else if (c == 'N' && !bytes) {
    decodeCharacterName();
  } else {
    // An unknown escape stands for itself; its character may be the first of a doubled brace.
    value += '\\';
    ++at;
  }
}

void StringDecoder::decodeOctal() {
  uint32_t c = 0;
  size_t stop = std::min(at + 4, body.size());
  for (++at; at < stop && body[at] >= '0' && body[at] <= '7'; ++at)
    c = c * 8 + (body[at] - '0');
  put(bytes ? c & 0xff : c);
}

void StringDecoder::decodeHex(unsigned count, const char *form) {
  llvm::StringRef digits =
      body.substr(at + 2, count).take_while([](char c) { return llvm::isHexDigit(c); });
  uint32_t c = 0;
  if (digits.size() != count)
    return fail(at, std::string("truncated escape, expected ") + form,
                "write a raw string r'...' or double the backslash");
  digits.getAsInteger(16, c);
  if (c > 0x10ffff)
    return fail(at, "the escape names no Unicode character, the last is \\U0010ffff");
  put(c);
  at += 2 + count;
}

void StringDecoder::decodeCharacterName() {
  size_t close = body.find('}', at);
  if (!body.substr(at + 2).starts_with("{") || close == llvm::StringRef::npos || close == at + 3)
    return fail(at, "malformed escape, expected \\N{NAME}",
                "write a raw string r'...' or double the backslash");
  llvm::StringRef name = body.slice(at + 3, close);
  std::optional<char32_t> c = llvm::sys::unicode::nameToCodepointStrict(name.upper());
  if (!c)
    return fail(at, "unknown Unicode character name '" + name.str() + "'");
  put(*c);
  at = close + 1;
}

} // namespace

LiteralError nereid::python::decodeString(llvm::StringRef body, bool raw, bool bytes, bool braces,
                                          std::string &value) {
  return StringDecoder(body, raw, bytes, braces, value).run();
}
