// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `str.format`.
#include "python/machine/FormatSpec.h"

#include "llvm/ADT/StringExtras.h"

using namespace nereid;
using namespace nereid::machine;

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
