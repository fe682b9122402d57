// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "python/machine/FloatText.h"

#include "llvm/ADT/StringExtras.h"

#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>

using namespace nereid;

std::string machine::floatText(double value) {
  if (std::isnan(value))
    return "nan";
  if (std::isinf(value))
    return value > 0 ? "inf" : "-inf";
  char buffer[64];
  auto end = std::to_chars(buffer, buffer + sizeof(buffer), value, std::chars_format::scientific);
  llvm::StringRef text(buffer, end.ptr - buffer);
  bool negative = text.consume_front("-");
  auto [mantissa, exponentText] = text.split('e');
  int exponent = 0;
  exponentText.consume_front("+");
  exponentText.consumeInteger(10, exponent);
  std::string digits;
  for (char c : mantissa)
    if (c != '.')
      digits += c;
  std::string out = negative ? "-" : "";
  int count = digits.size();
  if (exponent < -4 || exponent >= 16) {
    out += digits[0];
    if (count > 1)
      out += "." + digits.substr(1);
    snprintf(buffer, sizeof(buffer), "e%c%02d", exponent < 0 ? '-' : '+', std::abs(exponent));
    return out + buffer;
  }
  if (exponent < 0)
    return out + "0." + std::string(-exponent - 1, '0') + digits;
  if (exponent + 1 >= count)
    return out + digits + std::string(exponent + 1 - count, '0') + ".0";
  return out + digits.substr(0, exponent + 1) + "." + digits.substr(exponent + 1);
}

std::string machine::formatDouble(double value, char type, int precision, bool alternate) {
  bool upper = type >= 'A' && type <= 'Z';
  if (std::isnan(value))
    return upper ? "NAN" : "nan";
  if (std::isinf(value))
    return upper ? (value > 0 ? "INF" : "-INF") : (value > 0 ? "inf" : "-inf");
  char format[16];
  snprintf(format, sizeof(format), alternate ? "%%#.*%c" : "%%.*%c", type);
  int size = snprintf(nullptr, 0, format, precision, value);
  std::string out(size + 1, '\0');
  snprintf(out.data(), out.size(), format, precision, value);
  out.pop_back();
  return out;
}

std::optional<double> machine::parseDouble(llvm::StringRef text) {
  text = text.trim(" \t\n\r\f\v");
  std::string clean;
  for (size_t i = 0; i != text.size(); ++i) {
    if (text[i] == '_') {
      if (i == 0 || i + 1 == text.size() || !llvm::isDigit(text[i - 1]) ||
          !llvm::isDigit(text[i + 1]))
        return std::nullopt;
      continue;
    }
    clean += llvm::toLower(text[i]);
  }
  llvm::StringRef body = clean;
  bool negative = body.consume_front("-");
  if (!negative)
    body.consume_front("+");
  double sign = negative ? -1.0 : 1.0;
  if (body == "inf" || body == "infinity")
    return sign * INFINITY;
  if (body == "nan")
    return std::copysign(NAN, sign);
  if (body.empty() || !(llvm::isDigit(body[0]) || body[0] == '.') || body.contains('x'))
    return std::nullopt;
  std::string number = body.str();
  char *end = nullptr;
  double value = std::strtod(number.c_str(), &end);
  if (end != number.c_str() + number.size() || body == ".")
    return std::nullopt;
  return sign * value;
}
