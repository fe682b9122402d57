// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "python/machine/FloatText.h"
#include "python/machine/Integers.h"

#include "llvm/ADT/StringExtras.h"

#include <cmath>

using namespace nereid;
using namespace nereid::machine;

namespace {
/// The format mini-language: [[fill]align][sign][z][#][0][width][grouping][.precision][type].
struct Spec {
  std::string fill = " ";
  char align = 0;
  char sign = '-';
  bool alternate = false;
  bool zero = false;
  int64_t width = 0;
  char grouping = 0;
  int64_t precision = -1;
  char type = 0;
};
} // namespace

static bool parseNumber(llvm::StringRef &text, int64_t &number) {
  llvm::StringRef digits = text.take_while([](char c) { return llvm::isDigit(c); });
  if (digits.empty())
    return false;
  text = text.drop_front(digits.size());
  return !digits.getAsInteger(10, number);
}

static bool isAlign(char c) { return c == '<' || c == '>' || c == '=' || c == '^'; }

static std::optional<Spec> parseSpec(Internals &in, llvm::StringRef text, Value value) {
  Spec spec;
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

static std::string pad(const Spec &spec, std::string sign, std::string body, char defaultAlign,
                       size_t bodyLength) {
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
static std::string group(const Spec &spec, std::string digits, size_t signSize, unsigned every) {
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

static std::string signText(const Spec &spec, bool negative) {
  return negative ? "-" : spec.sign == '-' ? "" : std::string(1, spec.sign);
}

static std::optional<std::string> badType(Internals &in, const Spec &spec, Value value) {
  in.m.raise("ValueError", "Unknown format code '" + llvm::Twine(spec.type) +
                               "' for object of type '" + in.m.typeName(value) + "'");
  return std::nullopt;
}

static std::optional<std::string> formatFloat(Internals &in, Spec spec, double number,
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
      int exponent = std::atoi(body.substr(body.find('e') + 1).c_str());
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

static std::optional<std::string> formatInteger(Internals &in, Spec spec, const IntObject &number,
                                                Value value) {
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

static size_t codePoints(llvm::StringRef text) {
  return llvm::count_if(text, [](char c) { return (c & 0xC0) != 0x80; });
}

static std::string firstCodePoints(llvm::StringRef text, size_t count) {
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
      auto *text = llvm::dyn_cast_if_present<StrObject>(*answer);
      return text ? std::optional(text->text.str()) : std::nullopt;
    }
  return in.nativeFormat(value, spec);
}

// --- str % values -----------------------------------------------------------------------------

static std::optional<std::string> percentNumber(Internals &in, Spec spec, char type, Value value) {
  if (type == 'd' || type == 'i' || type == 'u') {
    spec.type = 'd';
    if (auto *number = llvm::dyn_cast<FloatObject>(value))
      value = integerFromDouble(in.m, number->value);
  } else {
    spec.type = type;
  }
  llvm::StringRef integral = "dxXo";
  if (integral.contains(spec.type)) {
    auto *number = llvm::dyn_cast<IntObject>(value);
    if (!number) {
      llvm::StringRef needs =
          spec.type == 'd' ? "a real number is required, not " : "an integer is required, not ";
      in.typeError("%" + llvm::Twine(type) + " format: " + needs + in.m.typeName(value));
      return std::nullopt;
    }
    spec.precision = -1;
    return formatInteger(in, spec, *number, value);
  }
  if (auto *number = llvm::dyn_cast<IntObject>(value)) {
    auto converted = integerToDouble(*number);
    if (!converted) {
      in.m.raise("OverflowError", "int too large to convert to float");
      return std::nullopt;
    }
    return formatFloat(in, spec, *converted, value);
  }
  if (auto *number = llvm::dyn_cast<FloatObject>(value))
    return formatFloat(in, spec, number->value, value);
  in.typeError("must be real number, not " + in.m.typeName(value));
  return std::nullopt;
}

namespace {
class PercentFormatter {
public:
  PercentFormatter(Internals &in, llvm::StringRef format, Value args)
      : in(in), rest(format), args(args), tuple(llvm::dyn_cast<TupleObject>(args)) {}

  std::optional<std::string> run() {
    std::string out;
    while (!rest.empty()) {
      size_t at = rest.find('%');
      out += rest.take_front(at);
      if (at == llvm::StringRef::npos)
        break;
      rest = rest.drop_front(at + 1);
      if (!item(out))
        return std::nullopt;
    }
    bool unused =
        tuple ? next < tuple->items.size() : !usedOne && !usedKeys && args->kind != Kind::Dict;
    if (unused && !usedKeys) {
      in.typeError("not all arguments converted during string formatting");
      return std::nullopt;
    }
    return out;
  }

private:
  Value nextArgument() {
    if (tuple && next < tuple->items.size())
      return tuple->items[next++];
    if (!tuple && !usedOne) {
      usedOne = true;
      return args;
    }
    return in.typeError("not enough arguments for format string");
  }

  bool number(int64_t &out) {
    if (!rest.consume_front("*"))
      return parseNumber(rest, out) || true;
    Value value = nextArgument();
    auto *integer = llvm::dyn_cast_if_present<IntObject>(value);
    if (!integer) {
      if (value)
        in.typeError("* wants int");
      return false;
    }
    out = integer->small;
    return true;
  }

  bool item(std::string &out) {
    Value value = nullptr;
    if (rest.consume_front("(")) {
      size_t close = rest.find(')');
      if (close == llvm::StringRef::npos)
        return in.m.raise("ValueError", "incomplete format key");
      usedKeys = true;
      value = in.m.getItem(args, in.m.makeStr(rest.take_front(close)));
      if (!value)
        return false;
      rest = rest.drop_front(close + 1);
    }
    Spec spec;
    spec.align = '>';
    bool zero = false;
    for (; !rest.empty() && llvm::StringRef("-+ #0").contains(rest[0]); rest = rest.drop_front()) {
      switch (rest[0]) {
      case '-':
        spec.align = '<';
        break;
      case '+':
        spec.sign = '+';
        break;
      case ' ':
        if (spec.sign != '+')
          spec.sign = ' ';
        break;
      case '#':
        spec.alternate = true;
        break;
      case '0':
        zero = true;
        break;
      }
    }
    if (!number(spec.width))
      return false;
    if (spec.width < 0) {
      spec.align = '<';
      spec.width = -spec.width;
    }
    if (rest.consume_front(".")) {
      spec.precision = 0;
      if (!number(spec.precision))
        return false;
    }
    if (!in.checkItems(std::max(spec.width, spec.precision)))
      return false;
    while (rest.starts_with("l") || rest.starts_with("h"))
      rest = rest.drop_front();
    if (rest.empty())
      return in.m.raise("ValueError", "incomplete format");
    char type = rest[0];
    rest = rest.drop_front();
    if (type == '%') {
      out += '%';
      return true;
    }
    if (!value && !(value = nextArgument()))
      return false;
    std::optional<std::string> text;
    switch (type) {
    case 's':
    case 'r':
    case 'a': {
      auto body = type == 's' ? in.m.str(value) : in.m.repr(value);
      if (!body)
        return false;
      if (spec.precision >= 0)
        body = firstCodePoints(*body, spec.precision);
      text = pad(spec, "", *body, '>', codePoints(*body));
      break;
    }
    case 'c': {
      std::string body;
      if (auto *code = llvm::dyn_cast<IntObject>(value))
        encodeCodePoint(code->small, body);
      else if (auto *str = llvm::dyn_cast<StrObject>(value); str && str->length == 1)
        body = str->text.str();
      else
        return in.typeError("%c requires int or char");
      text = pad(spec, "", body, '>', 1);
      break;
    }
    default:
      if (!llvm::StringRef("diuxXoeEfFgG").contains(type))
        return in.m.raise("ValueError", "unsupported format character '" + llvm::Twine(type) +
                                            "' (0x" + llvm::utohexstr(type, true) + ")");
      if (zero && spec.align == '>') {
        spec.align = 0;
        spec.zero = true;
      }
      text = percentNumber(in, spec, type, value);
    }
    if (!text)
      return false;
    out += *text;
    return true;
  }

  Internals &in;
  llvm::StringRef rest;
  Value args;
  TupleObject *tuple;
  size_t next = 0;
  bool usedOne = false, usedKeys = false;
};
} // namespace

std::optional<std::string> Internals::formatPercent(StrObject &format, Value args, bool bytes) {
  return PercentFormatter(*this, format.text, args).run();
}

// --- str.format -------------------------------------------------------------------------------

namespace {
class BraceFormatter {
public:
  BraceFormatter(Internals &in, const CallArgs &args) : in(in), args(args) {}

  std::optional<std::string> run(llvm::StringRef text, unsigned depth) {
    if (depth > 2)
      return fail("Max string recursion exceeded");
    std::string out;
    for (size_t i = 0; i < text.size();) {
      char c = text[i];
      if (c != '{' && c != '}') {
        out += c;
        ++i;
        continue;
      }
      if (i + 1 < text.size() && text[i + 1] == c) {
        out += c;
        i += 2;
        continue;
      }
      if (c == '}')
        return fail("Single '}' encountered in format string");
      size_t end = i + 1;
      for (unsigned nest = 1; end < text.size(); ++end) {
        if (text[end] == '{')
          ++nest;
        if (text[end] == '}' && --nest == 0)
          break;
      }
      if (end >= text.size())
        return fail(i + 1 == text.size() ? "Single '{' encountered in format string"
                                         : "expected '}' before end of string");
      auto field = replace(text.slice(i + 1, end), depth);
      if (!field || !in.checkItems(out.size() + field->size()))
        return std::nullopt;
      out += *field;
      i = end + 1;
    }
    return out;
  }

private:
  std::nullopt_t fail(llvm::StringRef message) {
    in.m.raise("ValueError", message);
    return std::nullopt;
  }

  std::optional<std::string> replace(llvm::StringRef field, unsigned depth) {
    // The name ends at the first `!` or `:` outside brackets.
    size_t end = 0;
    for (bool bracket = false; end < field.size(); ++end) {
      if (field[end] == '[')
        bracket = true;
      else if (field[end] == ']')
        bracket = false;
      else if (!bracket && (field[end] == '!' || field[end] == ':'))
        break;
    }
    llvm::StringRef name = field.take_front(end), rest = field.drop_front(end);
    char conversion = 0;
    if (rest.consume_front("!")) {
      if (rest.empty())
        return fail("end of string while looking for conversion specifier");
      conversion = rest[0];
      rest = rest.drop_front();
    }
    rest.consume_front(":");
    Value value = resolve(name);
    if (!value)
      return std::nullopt;
    auto spec = run(rest, depth + 1);
    if (!spec)
      return std::nullopt;
    if (conversion) {
      auto text = conversion == 's' ? in.m.str(value) : in.m.repr(value);
      if (!text)
        return std::nullopt;
      value = in.m.makeStr(*text);
    }
    return in.m.format(value, *spec);
  }

  Value resolve(llvm::StringRef name) {
    size_t end = name.find_first_of(".[");
    llvm::StringRef first = name.take_front(end), rest = name.drop_front(first.size());
    Value value = nullptr;
    int64_t index = -1;
    if (first.empty()) {
      index = automatic++;
    } else if (first.getAsInteger(10, index)) {
      index = -1;
    }
    if (index >= 0) {
      if (size_t(index) >= args.positional.size())
        return in.m.raise("IndexError", "Replacement index " + llvm::Twine(index) +
                                            " out of range for positional args tuple");
      value = args.positional[index];
    } else if (!(value = args.keyword(first))) {
      return in.raiseArgs(in.m.builtinClass("KeyError"), {in.m.makeStr(first)});
    }
    while (value && !rest.empty()) {
      if (rest.consume_front(".")) {
        llvm::StringRef attribute = rest.take_front(rest.find_first_of(".["));
        rest = rest.drop_front(attribute.size());
        value = in.m.getAttribute(value, attribute);
        continue;
      }
      rest = rest.drop_front();
      llvm::StringRef key = rest.take_front(rest.find(']'));
      rest = rest.drop_front(std::min(rest.size(), key.size() + 1));
      int64_t number;
      value =
          in.m.getItem(value, key.getAsInteger(10, number) ? static_cast<Value>(in.m.makeStr(key))
                                                           : in.m.makeInt(number));
    }
    return value;
  }

  Internals &in;
  const CallArgs &args;
  int64_t automatic = 0;
};
} // namespace

std::optional<std::string> Internals::formatBraces(llvm::StringRef format, const CallArgs &args) {
  return BraceFormatter(*this, args).run(format, 0);
}
