// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "python/Unicode.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <algorithm>

using namespace nereid;
using namespace nereid::python;

namespace {

struct Range {
  uint32_t first, last;
};

struct Decomposition {
  uint32_t from;
  const char *to; // UTF-8
};

struct Composition {
  uint32_t first, second, to;
};

struct CombiningClass {
  uint32_t first, last;
  uint8_t value;
};

#include "python/UnicodeTables.inc"

bool contains(llvm::ArrayRef<Range> ranges, uint32_t c) {
  auto after = std::upper_bound(ranges.begin(), ranges.end(), c,
                                [](uint32_t c, const Range &range) { return c < range.first; });
  return after != ranges.begin() && c <= std::prev(after)->last;
}

uint8_t getCombiningClass(uint32_t c) {
  llvm::ArrayRef<CombiningClass> table = combiningClasses;
  auto after = std::upper_bound(table.begin(), table.end(), c,
                                [](uint32_t c, const auto &entry) { return c < entry.first; });
  return after != table.begin() && c <= std::prev(after)->last ? std::prev(after)->value : 0;
}

// Hangul syllables are composed by arithmetic (Unicode, section 3.12).
constexpr uint32_t syllables = 0xac00, leads = 0x1100, vowels = 0x1161, trails = 0x11a7;
constexpr uint32_t leadCount = 19, vowelCount = 21, trailCount = 28;

using Characters = llvm::SmallVector<uint32_t, 32>;

void decompose(uint32_t c, Characters &out) {
  if (c >= syllables && c < syllables + leadCount * vowelCount * trailCount) {
    uint32_t index = c - syllables;
    out.push_back(leads + index / (vowelCount * trailCount));
    out.push_back(vowels + index / trailCount % vowelCount);
    if (index % trailCount)
      out.push_back(trails + index % trailCount);
    return;
  }
  llvm::ArrayRef<Decomposition> table = decompositions;
  auto it = std::lower_bound(table.begin(), table.end(), c,
                             [](const auto &entry, uint32_t c) { return entry.from < c; });
  if (it == table.end() || it->from != c) {
    out.push_back(c);
    return;
  }
  for (const char *at = it->to; *at;)
    out.push_back(decodeUtf8(at));
}

/// Puts runs of combining marks into the order of their classes.
void reorder(Characters &text) {
  for (auto begin = text.begin(); begin != text.end();) {
    if (!getCombiningClass(*begin)) {
      ++begin;
      continue;
    }
    auto stop = std::find_if(begin, text.end(), [](uint32_t c) { return !getCombiningClass(c); });
    llvm::SmallVector<std::pair<size_t, uint32_t>, 8> marks;
    for (auto it = begin; it != stop; ++it)
      marks.push_back({size_t(getCombiningClass(*it)) << 32 | (it - begin), *it});
    llvm::sort(marks);
    std::transform(marks.begin(), marks.end(), begin, [](auto &mark) { return mark.second; });
    begin = stop;
  }
}

uint32_t composePair(uint32_t first, uint32_t second) {
  if (first - leads < leadCount && second - vowels < vowelCount)
    return syllables + ((first - leads) * vowelCount + (second - vowels)) * trailCount;
  if (first - syllables < leadCount * vowelCount * trailCount &&
      (first - syllables) % trailCount == 0 && second - trails - 1 < trailCount - 1)
    return first + (second - trails);
  llvm::ArrayRef<Composition> table = compositions;
  auto it = std::lower_bound(table.begin(), table.end(), std::pair(first, second),
                             [](const auto &entry, std::pair<uint32_t, uint32_t> pair) {
                               return std::pair(entry.first, entry.second) < pair;
                             });
  return it != table.end() && it->first == first && it->second == second ? it->to : 0;
}

void compose(Characters &text) {
  size_t starter = ~size_t(0), out = 0;
  int lastClass = -1; // of what stands between the starter and the current character
  for (uint32_t c : llvm::ArrayRef(text).vec()) {
    int cls = getCombiningClass(c);
    uint32_t composed = 0;
    bool isNext = lastClass < cls || (cls == 0 && lastClass == -1);
    if (starter != ~size_t(0) && isNext)
      composed = composePair(text[starter], c);
    if (composed) {
      text[starter] = composed;
      continue;
    }
    if (cls == 0)
      starter = out, lastClass = -1;
    else
      lastClass = cls;
    text[out++] = c;
  }
  text.truncate(out);
}

} // namespace

uint32_t nereid::python::decodeUtf8(const char *&at) {
  auto next = [&] { return static_cast<unsigned char>(*at++); };
  uint32_t c = next();
  if (c < 0x80)
    return c;
  int more = c >= 0xf0 ? 3 : c >= 0xe0 ? 2 : 1;
  c &= 0x3f >> more;
  for (; more; --more)
    c = c << 6 | (next() & 0x3f);
  return c;
}

void nereid::python::appendUtf8(uint32_t c, std::string &text) {
  if (c < 0x80) {
    text += static_cast<char>(c);
  } else if (c < 0x800) {
    text += static_cast<char>(0xc0 | c >> 6);
    text += static_cast<char>(0x80 | (c & 0x3f));
  } else if (c < 0x10000) {
    text += static_cast<char>(0xe0 | c >> 12);
    text += static_cast<char>(0x80 | (c >> 6 & 0x3f));
    text += static_cast<char>(0x80 | (c & 0x3f));
  } else {
    text += static_cast<char>(0xf0 | c >> 18);
    text += static_cast<char>(0x80 | (c >> 12 & 0x3f));
    text += static_cast<char>(0x80 | (c >> 6 & 0x3f));
    text += static_cast<char>(0x80 | (c & 0x3f));
  }
}

bool nereid::python::isIdentifierStart(uint32_t c) { return contains(identifierStart, c); }
bool nereid::python::isIdentifierPart(uint32_t c) { return contains(identifierPart, c); }
bool nereid::python::isPrintable(uint32_t c) {
  return c < 0x7f ? c >= 0x20 : contains(printable, c);
}

std::string nereid::python::normalizeIdentifier(llvm::StringRef name) {
  Characters text;
  for (const char *at = name.begin(); at < name.end();)
    decompose(decodeUtf8(at), text);
  reorder(text);
  compose(text);
  std::string result;
  for (uint32_t c : text)
    appendUtf8(c, result);
  return result;
}
