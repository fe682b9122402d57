// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "python/machine/FormatSpec.h"

#include "python/machine/FloatText.h"
#include "python/machine/Integers.h"

#include "llvm/ADT/StringExtras.h"

#include <cmath>

using namespace nereid;
using namespace nereid::machine;

bool machine::parseNumber(llvm::StringRef &text, int64_t &number) {
  llvm::StringRef digits = text.take_while([](char c) { return llvm::isDigit(c); });
  if (digits.empty())
    return false;
  text = text.drop_front(digits.size());
  return !digits.getAsInteger(10, number);
}

static bool isAlign(char c) { return c == '<' || c == '>' || c == '=' || c == '^'; }

static std::optional<FormatSpec> parseSpec(Internals &in, llvm::StringRef text, Value value) {
  FormatSpec spec;
  llvm::StringRef whole = text;
  if (!text.empty()) {
    size_t at = 0;
    decodeCodePoint(text, at);
    if (at < text.size() && isAlign(text[at])) {
      spec.fill = text.take_front(at).str();
      spec.align = text[at];
      text = text.drop_front(at + 1);
    } else if (isAlign(text[0])) {
      spec.align = text[0];
      text = text.drop_front();
    }
  }
  if (!text.empty() && (text[0] == '+' || text[0] == '-' || text[0] == ' ')) {
    spec.sign = text[0];
    text = text.drop_front();
  }
  text.consume_front("z");
  spec.alternate = text.consume_front("#");
  if (text.starts_with("0")) {
    spec.zero = true;
    text = text.drop_front();
  }
  parseNumber(text, spec.width);
  if (text.consume_front(","))
    spec.grouping = ',';
  else if (text.consume_front("_"))
    spec.grouping = '_';
  if (text.consume_front(".") && !parseNumber(text, spec.precision)) {
    in.m.raise("ValueError", "Format specifier missing precision");
    return std::nullopt;
  }
  if (text.size() > 1) {
    in.m.raise("ValueError", "Invalid format specifier '" + whole + "' for object of type '" +
                                 in.m.typeName(value) + "'");
    return std::nullopt;
  }
  if (!text.empty())
    spec.type = text[0];
  if (!in.checkItems(std::max(spec.width, spec.precision)))
    return std::nullopt;
  return spec;
}

std::string machine::pad(const FormatSpec &spec, std::string sign, std::string body,
                         char defaultAlign, size_t bodyLength) {
  size_t length = sign.size() + bodyLength;
  if (int64_t(length) >= spec.width)
    return sign + body;
  size_t missing = spec.width - length;
  char align = spec.align ? spec.align : spec.zero ? '=' : defaultAlign;
  std::string fill = spec.zero && !spec.align        ? "0"
                     : spec.zero && spec.fill == " " ? "0"
                                                     : spec.fill;
  auto repeat = [&](size_t count) {
    std::string out;
    for (size_t i = 0; i != count; ++i)
      out += fill;
    return out;
  };
  switch (align) {
  case '<':
    return sign + body + repeat(missing);
  case '^':
    return repeat(missing / 2) + sign + body + repeat(missing - missing / 2);
  case '=':
    return sign + repeat(missing) + body;
  default:
    return repeat(missing) + sign + body;
  }
}

/// Inserts separators into the digits before the point; with `=` zero padding the zeros are grouped
/// too, up to the width.
static std::string group(const FormatSpec &spec, std::string digits, size_t signSize,
                         unsigned every) {
  if (!spec.grouping)
    return digits;
  size_t whole = 0;
  while (whole < digits.size() && llvm::isHexDigit(digits[whole]))
    ++whole;
  std::string tail = digits.substr(whole), head = digits.substr(0, whole);
  if (spec.zero && !spec.align)
    while (int64_t(signSize + tail.size() + head.size() + (head.size() - 1) / every) < spec.width)
      head.insert(0, "0");
  std::string out;
  for (size_t i = 0; i != head.size(); ++i) {
    if (i && (head.size() - i) % every == 0)
      out += spec.grouping;
    out += head[i];
  }
  return out + tail;
}

static std::string signText(const FormatSpec &spec, bool negative) {
  return negative ? "-" : spec.sign == '-' ? "" : std::string(1, spec.sign);
}

static std::optional<std::string> badType(Internals &in, const FormatSpec &spec, Value value) {
  in.m.raise("ValueError", "Unknown format code '" + llvm::Twine(spec.type) +
                               "' for object of type '" + in.m.typeName(value) + "'");
  return std::nullopt;
}

std::optional<std::string> machine::formatFloat(Internals &in, FormatSpec spec, double number,
                                                Value value) {
  bool negative = std::signbit(number) && !std::isnan(number);
  double magnitude = std::abs(number);
  std::string body;
  switch (spec.type) {
  case 0:
    if (spec.precision < 0) {
      body = floatText(magnitude);
    } else {
      // Like g, but at least one digit stands behind the point.
      int precision = spec.precision ? spec.precision : 1;
      body = formatDouble(magnitude, 'e', precision - 1, false);
      int exponent = 0;
      llvm::StringRef exponentText = llvm::StringRef(body).split('e').second;
      exponentText.consume_front("+");
      exponentText.consumeInteger(10, exponent);
      if (std::isfinite(magnitude) && (exponent < -4 || exponent >= precision - 1)) {
        // The exponent form, without trailing zeros of the mantissa.
        size_t at = body.find('e');
        std::string mantissa = body.substr(0, at);
        if (mantissa.find('.') != std::string::npos) {
          mantissa.erase(mantissa.find_last_not_of('0') + 1);
          if (mantissa.back() == '.')
            mantissa.pop_back();
        }
        body = mantissa + body.substr(at);
        if (exponent >= -4 && exponent < 0)
          body = formatDouble(magnitude, 'g', precision, spec.alternate);
      } else {
        body = formatDouble(magnitude, 'g', precision, spec.alternate);
      }
      if (std::isfinite(magnitude) && body.find_first_of(".e") == std::string::npos)
        body += ".0";
    }
    break;
  case 'e':
  case 'E':
  case 'f':
  case 'F':
  case 'g':
  case 'G': {
    int precision = spec.precision < 0 ? 6 : spec.precision;
    body = formatDouble(magnitude, spec.type, precision, spec.alternate);
    break;
  }
  case 'n':
    body = formatDouble(magnitude, 'g', spec.precision < 0 ? 6 : spec.precision, false);
    break;
  case '%':
    body = formatDouble(magnitude * 100, 'f', spec.precision < 0 ? 6 : spec.precision,
                        spec.alternate) +
           "%";
    break;
  default:
    return badType(in, spec, value);
  }
  std::string sign = signText(spec, negative);
  if (std::isfinite(number))
    body = group(spec, body, sign.size(), 3);
  size_t length = body.size();
  return pad(spec, sign, body, '>', length);
}

std::optional<std::string> machine::formatInteger(Internals &in, FormatSpec spec,
                                                  const IntObject &number, Value value) {
  llvm::StringRef floats = "eEfFgG%";
  if (spec.type && floats.contains(spec.type)) {
    auto converted = integerToDouble(number);
    if (!converted) {
      in.m.raise("OverflowError", "int too large to convert to float");
      return std::nullopt;
    }
    return formatFloat(in, spec, *converted, value);
  }
  if (spec.precision >= 0) {
    in.m.raise("ValueError", "Precision not allowed in integer format specifier");
    return std::nullopt;
  }
  if (spec.type == 'c') {
    std::string text;
    encodeCodePoint(number.small, text);
    return pad(spec, "", text, '<', 1);
  }
  unsigned radix = 10;
  std::string prefix;
  switch (spec.type) {
  case 0:
  case 'd':
  case 'n':
    break;
  case 'b':
    radix = 2;
    prefix = "0b";
    break;
  case 'o':
    radix = 8;
    prefix = "0o";
    break;
  case 'x':
  case 'X':
    radix = 16;
    prefix = spec.type == 'x' ? "0x" : "0X";
    break;
  default:
    return badType(in, spec, value);
  }
  auto digits = integerToText(in, number, radix);
  if (!digits)
    return std::nullopt;
  bool negative = isNegative(number);
  std::string body = negative ? digits->substr(1) : *digits;
  if (spec.type == 'X')
    body = llvm::StringRef(body).upper();
  std::string sign = signText(spec, negative) + (spec.alternate ? prefix : "");
  body = group(spec, body, sign.size(), radix == 10 ? 3 : 4);
  size_t length = body.size();
  return pad(spec, sign, body, '>', length);
}

size_t machine::codePoints(llvm::StringRef text) {
  return llvm::count_if(text, [](char c) { return (c & 0xC0) != 0x80; });
}

std::string machine::firstCodePoints(llvm::StringRef text, size_t count) {
  size_t at = 0;
  while (count-- && at < text.size())
    decodeCodePoint(text, at);
  return text.take_front(at).str();
}

std::optional<std::string> Internals::nativeFormat(Value value, llvm::StringRef text) {
  if (text.empty())
    return m.str(value);
  if (llvm::isa<StrObject>(value)) {
    auto spec = parseSpec(*this, text, value);
    if (!spec)
      return std::nullopt;
    if (spec->type && spec->type != 's')
      return badType(*this, *spec, value);
    if (spec->align == '=') {
      m.raise("ValueError", "'=' alignment not allowed in string format specifier");
      return std::nullopt;
    }
    std::string body = llvm::cast<StrObject>(value)->text.str();
    if (spec->precision >= 0)
      body = firstCodePoints(body, spec->precision);
    if (spec->zero && !spec->align) {
      spec->align = '<';
      spec->fill = "0";
    }
    return pad(*spec, "", body, '<', codePoints(body));
  }
  if (auto *number = llvm::dyn_cast<IntObject>(value)) {
    auto spec = parseSpec(*this, text, value);
    return spec ? formatInteger(*this, *spec, *number, value) : std::nullopt;
  }
  if (auto *number = llvm::dyn_cast<FloatObject>(value)) {
    auto spec = parseSpec(*this, text, value);
    return spec ? formatFloat(*this, *spec, number->value, value) : std::nullopt;
  }
  if (llvm::isa<ComplexObject>(value)) {
    m.refuse("format specifications for complex numbers are not supported");
    return std::nullopt;
  }
  m.raise("TypeError", "unsupported format string passed to " + m.typeName(value) + ".__format__");
  return std::nullopt;
}

std::optional<std::string> Machine::format(Value value, llvm::StringRef spec) {
  Internals &in = *internals;
  if (Value method = in.userMethod(value, in.n.format)) {
    Value result = call(method, {makeStr(spec)});
    auto *text = llvm::dyn_cast_if_present<StrObject>(result);
    if (result && !text)
      raise("TypeError", "__format__ must return a str, not " + typeName(result));
    return text ? std::optional(text->text.str()) : std::nullopt;
  }
  if (pending())
    return std::nullopt;
  if (auto *foreign = llvm::dyn_cast<Foreign>(value); foreign && !spec.empty())
    if (auto answer = foreign->library.convert(*this, value, "format")) {
      if (llvm::isa_and_present<IntObject, FloatObject>(*answer))
        return in.nativeFormat(*answer, spec);
      auto *text = llvm::dyn_cast_if_present<StrObject>(*answer);
      return text ? std::optional(text->text.str()) : std::nullopt;
    }
  return in.nativeFormat(value, spec);
}
