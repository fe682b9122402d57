// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `str % values`.
#include "python/machine/FloatText.h"
#include "python/machine/FormatSpec.h"
#include "python/machine/Integers.h"

#include "llvm/ADT/StringExtras.h"

using namespace nereid;
using namespace nereid::machine;

static std::optional<std::string> percentNumber(Internals &in, FormatSpec spec, char type,
                                                Value value) {
  if (!(value = in.knownOf(value, "a text")))
    return std::nullopt;
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
    if (!rest.consume_front("*")) {
      (void)parseNumber(rest, out);
      return true;
    }
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
    FormatSpec spec;
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
