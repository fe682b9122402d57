// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Methods of str and bytes.
#include "python/machine/FloatText.h"
#include "python/machine/Internals.h"

#include "llvm/ADT/StringExtras.h"

using namespace nereid;
using namespace nereid::machine;

using Args = llvm::ArrayRef<Value>;

static llvm::StringRef textOf(Value value) { return llvm::cast<StrObject>(value)->text; }
static const char whitespace[] = " \t\n\r\f\v\x1c\x1d\x1e\x1f";

static bool needStr(Internals &in, llvm::StringRef method, Value value) {
  if (llvm::isa<StrObject>(value))
    return true;
  if (auto *opaque = llvm::dyn_cast<OpaqueObject>(value))
    return in.refuseOpaque(*opaque, "used as a string");
  return in.typeError(method + " must be str, not " + in.m.typeName(value));
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

/// Byte offset of a code point index.
static size_t byteOffset(StrObject &text, int64_t index) {
  if (text.isAscii())
    return index;
  size_t at = 0;
  while (index-- > 0 && at < text.text.size())
    decodeCodePoint(text.text, at);
  return at;
}

static int64_t codePointIndex(StrObject &text, size_t offset) {
  if (text.isAscii())
    return offset;
  return llvm::count_if(text.text.take_front(offset), [](char c) { return (c & 0xC0) != 0x80; });
}

/// The part of the text between `start` and `stop`, and its byte offset.
static std::optional<std::pair<llvm::StringRef, size_t>> window(Internals &in, StrObject &text,
                                                                Value start, Value stop) {
  SliceObject slice(nullptr, start, stop, in.m.none());
  auto range = in.sliceRange(slice, text.length);
  if (!range)
    return std::nullopt;
  if (range->start > range->stop)
    return std::pair(llvm::StringRef(), size_t(-1));
  size_t begin = byteOffset(text, range->start), end = byteOffset(text, range->stop);
  return std::pair(text.text.slice(begin, end), begin);
}

static Value findText(Internals &in, Args a, bool fromRight, bool raises) {
  if (!needStr(in, "argument", a[1]))
    return nullptr;
  auto &self = *llvm::cast<StrObject>(a[0]);
  auto part = window(in, self, a[2], a[3]);
  if (!part)
    return nullptr;
  size_t at = part->second == size_t(-1) ? llvm::StringRef::npos
              : fromRight                ? part->first.rfind(textOf(a[1]))
                                         : part->first.find(textOf(a[1]));
  if (at == llvm::StringRef::npos)
    return raises ? in.m.raise("ValueError", "substring not found")
                  : static_cast<Value>(in.m.makeInt(int64_t(-1)));
  return in.m.makeInt(codePointIndex(self, part->second + at));
}

static Value startsOrEnds(Internals &in, Args a, bool starts) {
  auto part = window(in, *llvm::cast<StrObject>(a[0]), a[2], a[3]);
  if (!part)
    return nullptr;
  auto one = [&](Value affix) {
    return part->second != size_t(-1) &&
           (starts ? part->first.starts_with(textOf(affix)) : part->first.ends_with(textOf(affix)));
  };
  if (auto *tuple = llvm::dyn_cast<TupleObject>(a[1])) {
    for (Value affix : tuple->items) {
      if (!needStr(in, "tuple for affix", affix))
        return nullptr;
      if (one(affix))
        return in.m.makeBool(true);
    }
    return in.m.makeBool(false);
  }
  llvm::StringRef name = starts ? "startswith" : "endswith";
  if (!llvm::isa<StrObject>(a[1]))
    return in.typeError(name + " first arg must be str or a tuple of str, not " +
                        in.m.typeName(a[1]));
  return in.m.makeBool(one(a[1]));
}

static Value split(Internals &in, Args a, bool fromRight) {
  llvm::StringRef text = textOf(a[0]);
  auto most = in.m.index(a[2]);
  if (!most)
    return nullptr;
  int64_t limit = *most < 0 ? INT64_MAX : *most;
  std::vector<llvm::StringRef> parts;
  if (a[1] == in.m.none()) {
    text = text.trim(whitespace);
    while (!text.empty() && limit-- > 0) {
      size_t at = fromRight ? text.find_last_of(whitespace) : text.find_first_of(whitespace);
      if (at == llvm::StringRef::npos)
        break;
      parts.push_back(fromRight ? text.drop_front(at + 1) : text.take_front(at));
      text =
          fromRight ? text.take_front(at).rtrim(whitespace) : text.drop_front(at).ltrim(whitespace);
    }
    if (!text.empty())
      parts.push_back(text);
  } else {
    if (!needStr(in, "separator", a[1]))
      return nullptr;
    llvm::StringRef separator = textOf(a[1]);
    if (separator.empty())
      return in.m.raise("ValueError", "empty separator");
    while (limit-- > 0) {
      size_t at = fromRight ? text.rfind(separator) : text.find(separator);
      if (at == llvm::StringRef::npos)
        break;
      parts.push_back(fromRight ? text.drop_front(at + separator.size()) : text.take_front(at));
      text = fromRight ? text.take_front(at) : text.drop_front(at + separator.size());
    }
    parts.push_back(text);
  }
  if (fromRight)
    std::reverse(parts.begin(), parts.end());
  auto *list = in.m.makeList();
  for (llvm::StringRef part : parts)
    list->items.push_back(in.m.makeStr(part));
  return list;
}

static Value splitLines(Internals &in, Args a) {
  llvm::StringRef text = textOf(a[0]);
  bool keep = in.m.truth(a[1]) == Truth::True;
  auto *list = in.m.makeList();
  for (size_t begin = 0; begin < text.size();) {
    size_t end = text.find_first_of("\n\r\v\f\x1c\x1d\x1e", begin);
    size_t next = end == llvm::StringRef::npos ? text.size() : end + 1;
    if (end != llvm::StringRef::npos && text.substr(end, 2) == "\r\n")
      ++next;
    list->items.push_back(
        in.m.makeStr(text.slice(begin, keep ? next : std::min(end, text.size()))));
    begin = next;
  }
  return list;
}

static Value replace(Internals &in, Args a) {
  if (!needStr(in, "replace() argument 1", a[1]) || !needStr(in, "replace() argument 2", a[2]))
    return nullptr;
  auto most = in.m.index(a[3]);
  if (!most)
    return nullptr;
  int64_t limit = *most < 0 ? INT64_MAX : *most;
  llvm::StringRef text = textOf(a[0]), from = textOf(a[1]), to = textOf(a[2]);
  std::string out;
  size_t at = 0;
  if (from.empty()) {
    while (limit-- > 0) {
      out += to;
      if (at >= text.size())
        return in.m.makeStr(out);
      size_t begin = at;
      decodeCodePoint(text, at);
      out += text.slice(begin, at);
      if (!in.checkItems(out.size()))
        return nullptr;
    }
    return in.m.makeStr(out + text.drop_front(at).str());
  }
  while (limit-- > 0) {
    size_t found = text.find(from, at);
    if (found == llvm::StringRef::npos)
      break;
    out += text.slice(at, found);
    out += to;
    at = found + from.size();
    if (!in.checkItems(out.size()))
      return nullptr;
  }
  return in.m.makeStr(out + text.drop_front(at).str());
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

static Value join(Internals &in, Args a) {
  auto items = in.m.items(a[1]);
  if (!items) {
    if (in.m.catchException("TypeError"))
      in.typeError("can only join an iterable");
    return nullptr;
  }
  std::string out;
  for (auto [i, item] : llvm::enumerate(*items)) {
    auto *text = llvm::dyn_cast<StrObject>(item);
    if (!text)
      return in.typeError("sequence item " + llvm::Twine(i) + ": expected str instance, " +
                          in.m.typeName(item) + " found");
    if (i)
      out += textOf(a[0]);
    out += text->text;
    if (!in.checkItems(out.size()))
      return nullptr;
  }
  return in.m.makeStr(out);
}

static Value strip(Internals &in, Args a, bool left, bool right) {
  llvm::StringRef text = textOf(a[0]), chars = whitespace;
  if (a[1] != in.m.none()) {
    auto *given = llvm::dyn_cast<StrObject>(a[1]);
    if (!given)
      return in.typeError("strip arg must be None or str");
    chars = given->text;
  }
  if (left)
    text = text.ltrim(chars);
  if (right)
    text = text.rtrim(chars);
  return in.m.makeStr(text);
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

static Value partition(Internals &in, Args a, bool fromRight) {
  if (!needStr(in, "argument", a[1]))
    return nullptr;
  llvm::StringRef text = textOf(a[0]), separator = textOf(a[1]);
  if (separator.empty())
    return in.m.raise("ValueError", "empty separator");
  size_t at = fromRight ? text.rfind(separator) : text.find(separator);
  auto make = [&](llvm::StringRef part) -> Value { return in.m.makeStr(part); };
  if (at == llvm::StringRef::npos)
    return fromRight ? in.m.makeTuple({make(""), make(""), make(text)})
                     : in.m.makeTuple({make(text), make(""), make("")});
  return in.m.makeTuple(
      {make(text.take_front(at)), make(separator), make(text.drop_front(at + separator.size()))});
}

static Value countText(Internals &in, Args a) {
  if (!needStr(in, "argument", a[1]))
    return nullptr;
  auto part = window(in, *llvm::cast<StrObject>(a[0]), a[2], a[3]);
  if (!part)
    return nullptr;
  if (textOf(a[1]).empty())
    return in.m.makeInt(
        int64_t(llvm::count_if(part->first, [](char c) { return (c & 0xC0) != 0x80; })) + 1);
  return in.m.makeInt(int64_t(part->first.count(textOf(a[1]))));
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

void Internals::setUpStrMethods() {
  auto add = [this](llvm::StringRef name, llvm::StringRef signature, auto fn) {
    m.addBuiltin(classes.str, name, signature,
                 [this, fn](Machine &, Args a) -> Value { return fn(*this, a); });
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
  constexpr const char *search = "(self, sub, start=None, end=None, /)";
  add("find", search, [](Internals &in, Args a) { return findText(in, a, false, false); });
  add("rfind", search, [](Internals &in, Args a) { return findText(in, a, true, false); });
  add("index", search, [](Internals &in, Args a) { return findText(in, a, false, true); });
  add("rindex", search, [](Internals &in, Args a) { return findText(in, a, true, true); });
  add("count", search, countText);
  add("startswith", search, [](Internals &in, Args a) { return startsOrEnds(in, a, true); });
  add("endswith", search, [](Internals &in, Args a) { return startsOrEnds(in, a, false); });
  add("split", "(self, sep=None, maxsplit=-1)",
      [](Internals &in, Args a) { return split(in, a, false); });
  add("rsplit", "(self, sep=None, maxsplit=-1)",
      [](Internals &in, Args a) { return split(in, a, true); });
  add("splitlines", "(self, keepends=False)", splitLines);
  add("replace", "(self, old, new, count=-1, /)", replace);
  add("ljust", "(self, width, fillchar=' ', /)",
      [](Internals &in, Args a) { return justify(in, a, '<'); });
  add("rjust", "(self, width, fillchar=' ', /)",
      [](Internals &in, Args a) { return justify(in, a, '>'); });
  add("center", "(self, width, fillchar=' ', /)",
      [](Internals &in, Args a) { return justify(in, a, '^'); });
  add("join", "(self, iterable, /)", join);
  add("strip", "(self, chars=None, /)",
      [](Internals &in, Args a) { return strip(in, a, true, true); });
  add("lstrip", "(self, chars=None, /)",
      [](Internals &in, Args a) { return strip(in, a, true, false); });
  add("rstrip", "(self, chars=None, /)",
      [](Internals &in, Args a) { return strip(in, a, false, true); });
  add("partition", "(self, sep, /)", [](Internals &in, Args a) { return partition(in, a, false); });
  add("rpartition", "(self, sep, /)", [](Internals &in, Args a) { return partition(in, a, true); });
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
    return testAll(in, a, "isspace",
                   [](char c) { return llvm::StringRef(whitespace).contains(c); });
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
  add("zfill", "(self, width, /)", [](Internals &in, Args a) -> Value {
    auto width = in.m.index(a[1]);
    if (!width || !in.checkItems(std::max<int64_t>(*width, 0)))
      return nullptr;
    llvm::StringRef text = textOf(a[0]);
    std::string sign =
        text.starts_with("-") || text.starts_with("+") ? text.take_front().str() : "";
    int64_t missing = *width - int64_t(llvm::cast<StrObject>(a[0])->length);
    return in.m.makeStr(sign + std::string(std::max<int64_t>(missing, 0), '0') +
                        text.drop_front(sign.size()).str());
  });
  add("removeprefix", "(self, prefix, /)", [](Internals &in, Args a) -> Value {
    llvm::StringRef text = textOf(a[0]);
    if (!needStr(in, "removeprefix() argument", a[1]))
      return nullptr;
    text.consume_front(textOf(a[1]));
    return in.m.makeStr(text);
  });
  add("removesuffix", "(self, suffix, /)", [](Internals &in, Args a) -> Value {
    llvm::StringRef text = textOf(a[0]);
    if (!needStr(in, "removesuffix() argument", a[1]))
      return nullptr;
    text.consume_back(textOf(a[1]));
    return in.m.makeStr(text);
  });
  add("expandtabs", "(self, tabsize=8)", [](Internals &in, Args a) -> Value {
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
  });
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
