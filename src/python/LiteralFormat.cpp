// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "python/Literals.h"
#include "python/Unicode.h"

#include "llvm/ADT/StringExtras.h"

#include <charconv>
#include <cmath>

using namespace nereid;
using namespace nereid::python;

/// The shortest decimal digits that read back as the value, laid out as Python does.
static std::string formatShortest(double value, bool addFraction) {
  if (std::isnan(value))
    return "nan";
  if (std::isinf(value))
    return value < 0 ? "-inf" : "inf";
  char buffer[64];
  auto end =
      std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::scientific).ptr;
  llvm::StringRef text(buffer, end - buffer);
  std::string sign = text.consume_front("-") ? "-" : "";
  auto [mantissa, power] = text.split('e');
  std::string digits = mantissa.substr(0, 1).str() + mantissa.drop_front(1).ltrim('.').str();
  int exponent = 0;
  power.consume_front("+");
  power.getAsInteger(10, exponent);
  if (exponent < -4 || exponent >= 16) {
    std::string result = sign + digits.substr(0, 1);
    if (digits.size() > 1)
      result += "." + digits.substr(1);
    std::string number = std::to_string(std::abs(exponent));
    return result + (exponent < 0 ? "e-" : "e+") + (number.size() < 2 ? "0" : "") + number;
  }
  if (exponent < 0)
    return sign + "0." + std::string(-exponent - 1, '0') + digits;
  size_t whole = exponent + 1;
  if (digits.size() <= whole)
    return sign + digits + std::string(whole - digits.size(), '0') + (addFraction ? ".0" : "");
  return sign + digits.substr(0, whole) + "." + digits.substr(whole);
}

std::string nereid::python::formatFloat(double value) { return formatShortest(value, true); }

std::string nereid::python::formatImaginary(double value) {
  return formatShortest(value, false) + "j";
}

static char chooseQuote(llvm::StringRef text, char preferred) {
  char other = preferred == '"' ? '\'' : '"';
  return text.contains(preferred) && !text.contains(other) ? other : preferred;
}

static std::string hex(uint32_t value, unsigned width) {
  return llvm::utohexstr(value, /*LowerCase=*/true, width);
}

/// Writes what strings and bytes escape alike; false when the character is something else.
static bool formatEscape(uint32_t c, char quote, std::string &out) {
  switch (c) {
  case '\\':
    out += "\\\\";
    return true;
  case '\n':
    out += "\\n";
    return true;
  case '\r':
    out += "\\r";
    return true;
  case '\t':
    out += "\\t";
    return true;
  default:
    if (c != static_cast<unsigned char>(quote))
      return false;
    out += {'\\', quote};
    return true;
  }
}

std::string nereid::python::formatString(llvm::StringRef text, char preferred) {
  char quote = chooseQuote(text, preferred);
  std::string out(1, quote);
  for (const char *at = text.begin(); at < text.end();) {
    const char *begin = at;
    uint32_t c = decodeUtf8(at);
    if (formatEscape(c, quote, out))
      continue;
    if (isPrintable(c))
      out.append(begin, at);
    else if (c < 0x100)
      out += "\\x" + hex(c, 2);
    else if (c < 0x10000)
      out += "\\u" + hex(c, 4);
    else
      out += "\\U" + hex(c, 8);
  }
  return out + quote;
}

std::string nereid::python::formatBytes(llvm::StringRef bytes, char preferred) {
  char quote = chooseQuote(bytes, preferred);
  std::string out = std::string("b") + quote;
  for (char byte : bytes) {
    auto c = static_cast<unsigned char>(byte);
    if (formatEscape(c, quote, out))
      continue;
    if (c >= 0x20 && c < 0x7f)
      out += byte;
    else
      out += "\\x" + hex(c, 2);
  }
  return out + quote;
}
