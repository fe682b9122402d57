// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Methods of str and bytes: case, padding, tests and translation; those of parts are in
// StrParts.cpp.
#include "python/machine/StrMethods.h"

#include "python/machine/FloatText.h"

#include "llvm/ADT/StringExtras.h"

using namespace nereid;
using namespace nereid::machine;

bool machine::needStr(Internals &in, llvm::StringRef what, Value value) {
  if (llvm::isa<StrObject>(value))
    return true;
  if (auto *opaque = llvm::dyn_cast<OpaqueObject>(value))
    return in.refuseOpaque(*opaque, "used as a string");
  return in.typeError(what + " must be str, not " + in.m.typeName(value));
}

/// Case mapping is exact for ASCII; other text is refused rather than mapped wrongly.
static Value mapCase(Internals &in, Value self, llvm::StringRef method,
                     llvm::function_ref<char(char, bool)> map) {
  auto *text = llvm::cast<StrObject>(self);
  if (!text->isAscii())
    return in.m.refuse("str." + method + "() of text that is not ASCII is not supported");
  std::string out;
  bool inWord = false;
  for (char c : text->text) {
    out += map(c, inWord);
    inWord = llvm::isAlpha(c);
  }
  return in.m.makeStr(out);
}

static Value justify(Internals &in, Args a, char where) {
  auto &self = *llvm::cast<StrObject>(a[0]);
  auto width = in.m.index(a[1]);
  if (!width || !in.checkItems(std::max<int64_t>(*width, 0)))
    return nullptr;
  auto *fill = llvm::dyn_cast<StrObject>(a[2]);
  if (!fill || fill->length != 1)
    return in.typeError("The fill character must be exactly one character long");
  int64_t missing = *width - self.length;
  if (missing <= 0)
    return in.m.makeStr(self.text);
  int64_t left = where == '<' ? 0 : where == '>' ? missing : missing / 2 + (missing & *width & 1);
  std::string out;
  for (int64_t i = 0; i < left; ++i)
    out += fill->text;
  out += self.text;
  for (int64_t i = left; i < missing; ++i)
    out += fill->text;
  return in.m.makeStr(out);
}

static Value testAll(Internals &in, Args a, llvm::StringRef method,
                     llvm::function_ref<bool(char)> test) {
  auto &self = *llvm::cast<StrObject>(a[0]);
  if (!self.isAscii())
    return in.m.refuse("str." + method + "() of text that is not ASCII is not supported");
  return in.m.makeBool(!self.text.empty() && llvm::all_of(self.text, test));
}

static Value testCase(Internals &in, Args a, bool upper) {
  auto &self = *llvm::cast<StrObject>(a[0]);
  if (!self.isAscii())
    return in.m.refuse("case tests of text that is not ASCII are not supported");
  bool any = false;
  for (char c : self.text) {
    if (!llvm::isAlpha(c))
      continue;
    any = true;
    if ((c >= 'A' && c <= 'Z') != upper)
      return in.m.makeBool(false);
  }
  return in.m.makeBool(any);
}

static Value translate(Internals &in, Args a) {
  llvm::StringRef text = textOf(a[0]);
  std::string out;
  for (size_t at = 0; at < text.size();) {
    size_t begin = at;
    uint32_t code = decodeCodePoint(text, at);
    Value mapped = in.m.getItem(a[1], in.m.makeInt(int64_t(code)));
    if (!mapped) {
      if (!in.m.catchException("LookupError"))
        return nullptr;
      out += text.slice(begin, at);
    } else if (auto *str = llvm::dyn_cast<StrObject>(mapped)) {
      out += str->text;
    } else if (auto *integer = llvm::dyn_cast<IntObject>(mapped)) {
      encodeCodePoint(integer->small, out);
    }
  }
  return in.m.makeStr(out);
}

static Value makeTranslation(Internals &in, Args a) {
  auto *table = in.m.makeDict();
  if (auto *dict = llvm::dyn_cast<DictObject>(a[0])) {
    for (auto &entry : dict->table.entries) {
      if (!entry.key)
        continue;
      size_t at = 0;
      auto *text = llvm::dyn_cast<StrObject>(entry.key);
      Value key = text ? in.m.makeInt(int64_t(decodeCodePoint(text->text, at))) : entry.key;
      if (!in.insert(table->table, key, entry.value))
        return nullptr;
    }
    return table;
  }
  if (!needStr(in, "maketrans() argument 1", a[0]) || !needStr(in, "maketrans() argument 2", a[1]))
    return nullptr;
  llvm::StringRef from = textOf(a[0]), to = textOf(a[1]);
  for (size_t i = 0, j = 0; i < from.size() && j < to.size();) {
    Value key = in.m.makeInt(int64_t(decodeCodePoint(from, i)));
    if (!in.insert(table->table, key, in.m.makeInt(int64_t(decodeCodePoint(to, j)))))
      return nullptr;
  }
  return table;
}

static Value fillZeros(Internals &in, Args a) {
  auto width = in.m.index(a[1]);
  if (!width || !in.checkItems(std::max<int64_t>(*width, 0)))
    return nullptr;
  llvm::StringRef text = textOf(a[0]);
  std::string sign = text.starts_with("-") || text.starts_with("+") ? text.take_front().str() : "";
  int64_t missing = *width - int64_t(llvm::cast<StrObject>(a[0])->length);
  return in.m.makeStr(sign + std::string(std::max<int64_t>(missing, 0), '0') +
                      text.drop_front(sign.size()).str());
}

static Value removeAffix(Internals &in, Args a, bool isPrefix) {
  llvm::StringRef text = textOf(a[0]);
  if (!needStr(in, isPrefix ? "removeprefix() argument" : "removesuffix() argument", a[1]))
    return nullptr;
  if (isPrefix)
    text.consume_front(textOf(a[1]));
  else
    text.consume_back(textOf(a[1]));
  return in.m.makeStr(text);
}

static Value expandTabs(Internals &in, Args a) {
  auto size = in.m.index(a[1]);
  if (!size)
    return nullptr;
  std::string out;
  int64_t column = 0;
  for (char c : textOf(a[0])) {
    if (c == '\t') {
      int64_t missing = *size > 0 ? *size - column % *size : 0;
      if (!in.checkItems(out.size() + missing))
        return nullptr;
      out.append(missing, ' ');
      column += missing;
      continue;
    }
    out += c;
    column = c == '\n' || c == '\r' ? 0 : column + 1;
  }
  return in.m.makeStr(out);
}

static void addCaseMethods(Internals &in) {
  auto add = [&](llvm::StringRef name, llvm::StringRef signature, auto fn) {
    addStrMethod(in, name, signature, fn);
  };
  auto upper = [](char c, bool) { return llvm::toUpper(c); };
  auto lower = [](char c, bool) { return llvm::toLower(c); };
  add("upper", "(self, /)",
      [=](Internals &in, Args a) { return mapCase(in, a[0], "upper", upper); });
  add("lower", "(self, /)",
      [=](Internals &in, Args a) { return mapCase(in, a[0], "lower", lower); });
  add("casefold", "(self, /)",
      [=](Internals &in, Args a) { return mapCase(in, a[0], "casefold", lower); });
  add("swapcase", "(self, /)", [](Internals &in, Args a) {
    return mapCase(in, a[0], "swapcase", [](char c, bool) {
      return c >= 'a' && c <= 'z' ? llvm::toUpper(c) : llvm::toLower(c);
    });
  });
  add("title", "(self, /)", [](Internals &in, Args a) {
    return mapCase(in, a[0], "title", [](char c, bool inWord) {
      return inWord ? llvm::toLower(c) : llvm::toUpper(c);
    });
  });
  add("capitalize", "(self, /)", [](Internals &in, Args a) {
    bool first = true;
    return mapCase(in, a[0], "capitalize", [&](char c, bool) {
      bool now = first;
      first = false;
      return now ? llvm::toUpper(c) : llvm::toLower(c);
    });
  });
}

static void addPaddingMethods(Internals &in) {
  auto add = [&](llvm::StringRef name, llvm::StringRef signature, auto fn) {
    addStrMethod(in, name, signature, fn);
  };
  add("ljust", "(self, width, fillchar=' ', /)",
      [](Internals &in, Args a) { return justify(in, a, '<'); });
  add("rjust", "(self, width, fillchar=' ', /)",
      [](Internals &in, Args a) { return justify(in, a, '>'); });
  add("center", "(self, width, fillchar=' ', /)",
      [](Internals &in, Args a) { return justify(in, a, '^'); });
}

static void addTestMethods(Internals &in) {
  auto add = [&](llvm::StringRef name, llvm::StringRef signature, auto fn) {
    addStrMethod(in, name, signature, fn);
  };
  for (llvm::StringRef name : {"isdigit", "isdecimal", "isnumeric"})
    add(name, "(self, /)", [name](Internals &in, Args a) {
      return testAll(in, a, name, [](char c) { return llvm::isDigit(c); });
    });
  add("isalpha", "(self, /)", [](Internals &in, Args a) {
    return testAll(in, a, "isalpha", [](char c) { return llvm::isAlpha(c); });
  });
  add("isalnum", "(self, /)", [](Internals &in, Args a) {
    return testAll(in, a, "isalnum", [](char c) { return llvm::isAlnum(c); });
  });
  add("isspace", "(self, /)", [](Internals &in, Args a) {
    return testAll(in, a, "isspace", [](char c) { return isSpace(uint32_t(c)); });
  });
  add("isascii", "(self, /)", [](Internals &in, Args a) -> Value {
    return in.m.makeBool(llvm::cast<StrObject>(a[0])->isAscii());
  });
  add("isidentifier", "(self, /)", [](Internals &in, Args a) -> Value {
    llvm::StringRef text = textOf(a[0]);
    return in.m.makeBool(!text.empty() && !llvm::isDigit(text[0]) &&
                         llvm::all_of(text, [](char c) { return llvm::isAlnum(c) || c == '_'; }));
  });
  add("isupper", "(self, /)", [](Internals &in, Args a) { return testCase(in, a, true); });
  add("islower", "(self, /)", [](Internals &in, Args a) { return testCase(in, a, false); });
}

void Internals::setUpStrMethods() {
  addCaseMethods(*this);
  addSearchMethods(*this);
  addPaddingMethods(*this);
  addPartMethods(*this);
  addTestMethods(*this);
  auto add = [this](llvm::StringRef name, llvm::StringRef signature, auto fn) {
    addStrMethod(*this, name, signature, fn);
  };
  add("zfill", "(self, width, /)", fillZeros);
  add("removeprefix", "(self, prefix, /)",
      [](Internals &in, Args a) { return removeAffix(in, a, true); });
  add("removesuffix", "(self, suffix, /)",
      [](Internals &in, Args a) { return removeAffix(in, a, false); });
  add("expandtabs", "(self, tabsize=8)", expandTabs);
  add("encode", "(self, encoding='utf-8', errors='strict')",
      [](Internals &in, Args a) -> Value { return in.m.makeBytes(textOf(a[0])); });
  add("translate", "(self, table, /)", translate);
  auto *maketrans =
      m.makeBuiltin("maketrans", "(x, y=None, /)",
                    [this](Machine &, Args a) -> Value { return makeTranslation(*this, a); });
  classes.str->attrs->set(
      m.intern("maketrans"),
      m.make<WrappedMethodObject>(Kind::StaticMethod, classes.staticMethod, maketrans));
  classes.str->attrs->set(
      m.intern("format"),
      m.makeBuiltin("format", [this](Machine &m, const CallArgs &args) -> Value {
        CallArgs rest{args.positional.drop_front(), args.keywords};
        auto text = formatBraces(textOf(args.positional[0]), rest);
        return text ? m.makeStr(*text) : nullptr;
      }));
  add("format_map", "(self, mapping, /)", [](Internals &in, Args a) -> Value {
    return in.m.refuse("str.format_map() is not supported", "use format(**mapping)");
  });
}

void Internals::setUpBytesMethods() {
  m.addBuiltin(
      classes.bytes, "decode", "(self, encoding='utf-8', errors='strict')",
      [](Machine &m, Args a) -> Value { return m.makeStr(llvm::cast<BytesObject>(a[0])->data); });
  m.addBuiltin(classes.bytes, "hex", "(self, /)", [](Machine &m, Args a) -> Value {
    return m.makeStr(llvm::toHex(llvm::cast<BytesObject>(a[0])->data, /*LowerCase=*/true));
  });
}
