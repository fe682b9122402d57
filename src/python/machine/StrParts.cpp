// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Methods of str that look for parts of a text, cut it and put it together: `find`, `split`,
// `replace`, `join`, `strip`.
#include "python/machine/FloatText.h"
#include "python/machine/StrMethods.h"

using namespace nereid;
using namespace nereid::machine;

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

bool machine::isSpace(uint32_t code) {
  return (code >= 0x09 && code <= 0x0D) || (code >= 0x1C && code <= 0x20) || code == 0x85 ||
         code == 0xA0 || code == 0x1680 || (code >= 0x2000 && code <= 0x200A) || code == 0x2028 ||
         code == 0x2029 || code == 0x202F || code == 0x205F || code == 0x3000;
}

/// Where `splitlines` cuts.
static bool isLineBreak(uint32_t code) {
  return (code >= 0x0A && code <= 0x0D) || (code >= 0x1C && code <= 0x1E) || code == 0x85 ||
         code == 0x2028 || code == 0x2029;
}

/// The offset at which the last code point of a text starts.
static size_t lastPoint(llvm::StringRef text) {
  size_t at = text.size() - 1;
  while (at > 0 && (text[at] & 0xC0) == 0x80)
    --at;
  return at;
}

using PointTest = llvm::function_ref<bool(uint32_t)>;

static llvm::StringRef trimStart(llvm::StringRef text, PointTest isCut) {
  while (!text.empty()) {
    size_t next = 0;
    if (!isCut(decodeCodePoint(text, next)))
      break;
    text = text.drop_front(next);
  }
  return text;
}

static llvm::StringRef trimEnd(llvm::StringRef text, PointTest isCut) {
  while (!text.empty()) {
    size_t last = lastPoint(text), at = last;
    if (!isCut(decodeCodePoint(text, at)))
      break;
    text = text.take_front(last);
  }
  return text;
}

static Value countText(Internals &in, Args a) {
  if (!needStr(in, "argument", a[1]))
    return nullptr;
  auto part = window(in, *llvm::cast<StrObject>(a[0]), a[2], a[3]);
  if (!part)
    return nullptr;
  if (part->second == size_t(-1))
    return in.m.makeInt(int64_t(0));
  if (textOf(a[1]).empty())
    return in.m.makeInt(
        int64_t(llvm::count_if(part->first, [](char c) { return (c & 0xC0) != 0x80; })) + 1);
  return in.m.makeInt(int64_t(part->first.count(textOf(a[1]))));
}

static Value split(Internals &in, Args a, bool fromRight) {
  llvm::StringRef text = textOf(a[0]);
  auto most = in.m.index(a[2]);
  if (!most)
    return nullptr;
  int64_t limit = *most < 0 ? INT64_MAX : *most;
  std::vector<llvm::StringRef> parts;
  if (a[1] == in.m.none()) {
    auto trim = [&](llvm::StringRef from, PointTest isCut) {
      return fromRight ? trimEnd(from, isCut) : trimStart(from, isCut);
    };
    text = trim(text, isSpace);
    while (!text.empty() && limit-- > 0) {
      llvm::StringRef rest = trim(text, [](uint32_t code) { return !isSpace(code); });
      parts.push_back(fromRight ? text.drop_front(rest.size()) : text.drop_back(rest.size()));
      text = trim(rest, isSpace);
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
  while (!text.empty()) {
    llvm::StringRef rest = trimStart(text, [](uint32_t code) { return !isLineBreak(code); });
    llvm::StringRef line = text.drop_back(rest.size());
    size_t past = 0;
    if (!rest.empty())
      decodeCodePoint(rest, past);
    if (rest.starts_with("\r\n"))
      past = 2;
    list->items.push_back(in.m.makeStr(keep ? text.take_front(line.size() + past) : line));
    text = rest.drop_front(past);
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

static Value join(Internals &in, Args a) {
  if (auto *opaque = llvm::dyn_cast<OpaqueObject>(a[1]); opaque && in.m.spreadsOpaque)
    return in.useOpaque(*opaque, "joined", ".joined()");
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
  llvm::StringRef text = textOf(a[0]);
  llvm::SmallDenseSet<uint32_t, 16> given;
  if (a[1] != in.m.none()) {
    auto *chars = llvm::dyn_cast<StrObject>(a[1]);
    if (!chars)
      return in.typeError("strip arg must be None or str");
    for (size_t at = 0; at < chars->text.size();)
      given.insert(decodeCodePoint(chars->text, at));
  }
  auto isCut = [&](uint32_t code) {
    return a[1] == in.m.none() ? isSpace(code) : given.contains(code);
  };
  if (left)
    text = trimStart(text, isCut);
  if (right)
    text = trimEnd(text, isCut);
  return in.m.makeStr(text);
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

void machine::addSearchMethods(Internals &in) {
  constexpr const char *search = "(self, sub, start=None, end=None, /)";
  auto add = [&](llvm::StringRef name, llvm::StringRef signature, auto fn) {
    addStrMethod(in, name, signature, fn);
  };
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
}

void machine::addPartMethods(Internals &in) {
  auto add = [&](llvm::StringRef name, llvm::StringRef signature, auto fn) {
    addStrMethod(in, name, signature, fn);
  };
  add("join", "(self, iterable, /)", join);
  add("strip", "(self, chars=None, /)",
      [](Internals &in, Args a) { return strip(in, a, true, true); });
  add("lstrip", "(self, chars=None, /)",
      [](Internals &in, Args a) { return strip(in, a, true, false); });
  add("rstrip", "(self, chars=None, /)",
      [](Internals &in, Args a) { return strip(in, a, false, true); });
  add("partition", "(self, sep, /)", [](Internals &in, Args a) { return partition(in, a, false); });
  add("rpartition", "(self, sep, /)", [](Internals &in, Args a) { return partition(in, a, true); });
}
