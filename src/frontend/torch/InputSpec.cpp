// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/torch/InputSpec.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"

using namespace llvm;

namespace nereid::torch {
namespace {

constexpr StringLiteral dtypes = "f64 f32 f16 bf16 i64 i32 i16 i8 u64 u32 u16 u8 bool c64 c128";

class SpecParser {
public:
  SpecParser(const SourceFile &file, Diagnostics &diagnostics)
      : file(file), text(file.getText()), diagnostics(diagnostics) {}

  std::optional<std::vector<InputSpec>> parse() {
    std::vector<InputSpec> inputs;
    for (skip(); at < text.size();) {
      std::string name = word();
      if (name.empty())
        return fail("expected the name of an argument, found " + found()), std::nullopt;
      for (const InputSpec &input : inputs)
        if (input.key == name)
          return fail("argument '" + name + "' is given twice"), std::nullopt;
      InputSpec input;
      if (!expect('=', "after '" + name + "'") || !value(input))
        return std::nullopt;
      input.key = name;
      inputs.push_back(std::move(input));
      if (at < text.size() && !expect(',', "between arguments"))
        return std::nullopt;
    }
    return inputs;
  }

private:
  const SourceFile &file;
  StringRef text;
  Diagnostics &diagnostics;
  size_t at = 0;

  void skip() {
    while (at < text.size() && isSpace(text[at]))
      ++at;
  }
  char peek() { return at < text.size() ? text[at] : '\0'; }
  std::string found() {
    return at < text.size() ? ("'" + Twine(text[at]) + "'").str() : "the end of the text";
  }
  bool fail(const Twine &message, StringRef help = "write x=f32[4096,1024],n=i64[],flag=True") {
    uint32_t begin = std::min(at, text.size()), end = std::min(at + 1, text.size());
    diagnostics.error({&file, {begin, end}}, message.str(), help.str());
    return false;
  }
  bool accept(char c) {
    skip();
    if (peek() != c)
      return false;
    ++at;
    skip();
    return true;
  }
  bool expect(char c, const Twine &where) {
    return accept(c) || fail("expected '" + Twine(c) + "' " + where + ", found " + found());
  }
  std::string word() {
    skip();
    size_t begin = at;
    while (at < text.size() && (isAlnum(text[at]) || text[at] == '_'))
      ++at;
    std::string result = text.slice(begin, at).str();
    skip();
    return result;
  }

  /// Expressions up to the closing bracket, separated by commas at its level.
  bool list(char close, std::vector<std::string> &items) {
    for (skip(); !accept(close);) {
      size_t begin = at;
      int depth = 0;
      while (at < text.size() && (depth || (text[at] != ',' && text[at] != close))) {
        depth += text[at] == '(' || text[at] == '[';
        depth -= text[at] == ')' || text[at] == ']';
        ++at;
      }
      StringRef item = text.slice(begin, at).trim();
      if (item.empty() || at >= text.size())
        return fail("expected a size and '" + Twine(close) + "', found " + found());
      items.push_back(item.str());
      if (peek() == ',')
        ++at, skip();
    }
    return true;
  }

  bool value(InputSpec &input) {
    skip();
    size_t begin = at;
    bool done = valueAt(input);
    input.range = {static_cast<uint32_t>(begin), static_cast<uint32_t>(at)};
    return done;
  }

  bool valueAt(InputSpec &input) {
    char c = peek();
    if (c == '(' || c == '[')
      return tuple(input, c == '(' ? ')' : ']');
    if (c == '{')
      return dict(input);
    if (c == '"' || c == '\'')
      return string(input);
    if (isDigit(c) || c == '-' || c == '+' || c == '.')
      return number(input);
    return named(input);
  }

  bool tuple(InputSpec &input, char close) {
    input.kind = InputSpec::Tuple;
    input.isList = close == ']';
    for (++at, skip(); !accept(close);) {
      if (at >= text.size())
        return fail("expected '" + Twine(close) + "', found the end of the text");
      if (!value(input.items.emplace_back()))
        return false;
      if (peek() != close && !expect(',', "between items"))
        return false;
    }
    return true;
  }

  bool dict(InputSpec &input) {
    input.kind = InputSpec::Dict;
    for (++at, skip(); !accept('}');) {
      InputSpec item;
      InputSpec quoted;
      std::string key;
      if (peek() == '"' || peek() == '\'') {
        if (!string(quoted))
          return false;
        key = quoted.text;
      } else {
        key = word();
      }
      if (key.empty())
        return fail("expected a key, found " + found());
      if (!expect(':', "after a key") || !value(item))
        return false;
      item.key = key;
      input.items.push_back(std::move(item));
      if (peek() != '}' && !expect(',', "between items"))
        return false;
    }
    return true;
  }

  bool record(InputSpec &input, StringRef name) {
    input.kind = InputSpec::Record;
    input.text = name.str();
    for (++at, skip(); !accept(')');) {
      InputSpec item;
      std::string field = word();
      if (field.empty())
        return fail("expected a field of " + name + ", found " + found());
      if (!expect('=', "after '" + field + "'") || !value(item))
        return false;
      item.key = field;
      input.items.push_back(std::move(item));
      if (peek() != ')' && !expect(',', "between fields"))
        return false;
    }
    return true;
  }

  bool string(InputSpec &input) {
    input.kind = InputSpec::String;
    char quote = text[at++];
    size_t end = text.find(quote, at);
    if (end == StringRef::npos)
      return fail("the string is not closed");
    input.text = text.slice(at, end).str();
    at = end + 1;
    skip();
    return true;
  }

  bool number(InputSpec &input) {
    size_t begin = at;
    while (at < text.size() && (isAlnum(text[at]) || StringRef("+-._").contains(text[at])))
      ++at;
    StringRef digits = text.slice(begin, at);
    skip();
    if (!digits.getAsInteger(10, input.integer)) {
      input.kind = InputSpec::Integer;
      return true;
    }
    input.kind = InputSpec::Float;
    if (!digits.getAsDouble(input.number))
      return true;
    at = begin;
    return fail("'" + digits + "' is not a number");
  }

  bool named(InputSpec &input) {
    size_t begin = at;
    std::string name = word();
    if (name == "None")
      return true;
    if (name == "True" || name == "False") {
      input.kind = InputSpec::Bool;
      input.integer = name == "True";
      return true;
    }
    if (name == "torch" && accept('.')) {
      std::string type = word();
      std::optional<DType> found = parseTorchName(type);
      input.kind = InputSpec::Type;
      input.dtype = found.value_or(DType::F32);
      at = found ? at : begin;
      return found || fail("'torch." + type + "' is no dtype that is supported here");
    }
    std::optional<DType> dtype = parseSpecName(name);
    if (name == "c64" || name == "c128") {
      input.isComplex = true;
      dtype = name == "c64" ? DType::F32 : DType::F64;
    }
    if (dtype && isEightBits(*dtype)) {
      at = begin;
      return fail("fp8 is not supported yet, found " + name, ("types are " + dtypes).str());
    }
    if (!dtype && !name.empty() && peek() == '(')
      return record(input, name);
    if (!dtype) {
      at = begin;
      return fail(name.empty() ? "expected a type or a value, found " + found()
                               : "'" + name + "' is not a type",
                  ("types are " + dtypes).str());
    }
    input.dtype = *dtype;
    input.kind = InputSpec::Scalar;
    if (!accept('['))
      return *dtype == DType::F64 || *dtype == DType::I64 || *dtype == DType::Bool ||
             fail("a runtime number is f64, i64 or bool, found " + Twine(name),
                  "write " + name + "[] for a tensor of rank 0");
    input.kind = InputSpec::Tensor;
    return list(']', input.sizes) && suffixes(input);
  }

  bool suffixes(InputSpec &input) {
    if (accept('@')) {
      if (!expect('(', "after '@'") || !list(')', input.strides))
        return false;
      if (input.strides.size() != input.sizes.size())
        return fail(Twine(input.strides.size()) + " strides are given for " +
                    Twine(input.sizes.size()) + " sizes");
    }
    if (accept('<')) {
      InputSpec bound;
      if (!number(bound))
        return false;
      if (bound.kind != InputSpec::Integer)
        return fail("the bound after '<' is an integer");
      input.below = bound.integer;
    }
    return true;
  }
};

} // namespace

std::optional<std::vector<InputSpec>> parseInputSpec(const SourceFile &text,
                                                     Diagnostics &diagnostics) {
  return SpecParser(text, diagnostics).parse();
}

} // namespace nereid::torch
