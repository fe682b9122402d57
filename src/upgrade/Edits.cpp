// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "upgrade/Edits.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <numeric>

using namespace llvm;

namespace nereid::upgrade {

static std::vector<Edit> sorted(ArrayRef<Edit> edits) {
  std::vector<size_t> order(edits.size());
  std::iota(order.begin(), order.end(), 0);
  auto key = [&](size_t at) { return std::tuple(edits[at].range.begin, edits[at].range.end, at); };
  llvm::sort(order, [&](size_t a, size_t b) { return key(a) < key(b); });
  std::vector<Edit> result;
  for (size_t at : order)
    result.push_back(edits[at]);
  return result;
}

std::optional<std::string> applyEdits(StringRef text, ArrayRef<Edit> edits) {
  std::string result;
  uint32_t done = 0;
  for (const Edit &edit : sorted(edits)) {
    if (edit.range.begin < done || edit.range.end > text.size())
      return std::nullopt;
    result += text.slice(done, edit.range.begin);
    result += edit.text;
    done = edit.range.end;
  }
  result += text.drop_front(done);
  return result;
}

namespace {

/// Whole lines of the old text, [begin, end), and what stands for them.
struct Hunk {
  size_t begin, end;
  std::string after;
};

} // namespace

/// The lines of a text with their ends.
static std::vector<StringRef> splitLines(StringRef text) {
  std::vector<StringRef> lines;
  while (!text.empty()) {
    size_t end = text.find('\n');
    end = end == StringRef::npos ? text.size() : end + 1;
    lines.push_back(text.take_front(end));
    text = text.drop_front(end);
  }
  return lines;
}

static void addLine(std::string &out, char mark, StringRef line) {
  out += mark;
  out += line;
  if (!line.ends_with("\n"))
    out += "\n\\ No newline at end of file\n";
}

/// The lines that change, and what they become; edits on lines that touch are one hunk.
static std::vector<Hunk> findHunks(StringRef before, ArrayRef<StringRef> lines,
                                   ArrayRef<Edit> edits) {
  std::vector<uint32_t> starts;
  uint32_t at = 0;
  for (StringRef line : lines) {
    starts.push_back(at);
    at += line.size();
  }
  auto lineOf = [&](uint32_t offset) {
    return size_t(llvm::upper_bound(starts, offset) - starts.begin()) - 1;
  };
  std::vector<Hunk> hunks;
  std::vector<std::vector<Edit>> within;
  for (const Edit &edit : sorted(edits)) {
    bool isWhole =
        edit.range.begin == edit.range.end && (edit.text.empty() || edit.text.back() == '\n');
    size_t first = lineOf(edit.range.begin);
    size_t last = isWhole && starts[first] == edit.range.begin
                      ? first
                      : lineOf(std::max(edit.range.end, edit.range.begin + 1) - 1) + 1;
    if (hunks.empty() || first >= hunks.back().end + (hunks.back().end == hunks.back().begin)) {
      hunks.push_back({first, last, ""});
      within.emplace_back();
    }
    hunks.back().end = std::max(hunks.back().end, last);
    within.back().push_back(edit);
  }
  for (auto [hunk, own] : zip(hunks, within)) {
    uint32_t begin = hunk.begin < starts.size() ? starts[hunk.begin] : at;
    uint32_t end = hunk.end < starts.size() ? starts[hunk.end] : at;
    for (Edit &edit : own) {
      edit.range.begin -= begin;
      edit.range.end -= begin;
    }
    hunk.after = applyEdits(before.slice(begin, end), own).value_or("");
  }
  return hunks;
}

std::string makeDiff(StringRef path, StringRef before, ArrayRef<Edit> edits) {
  std::vector<StringRef> lines = splitLines(before);
  std::vector<Hunk> hunks = findHunks(before, lines, edits);
  std::string out;
  constexpr size_t context = 3;
  int64_t shift = 0;
  for (size_t i = 0; i < hunks.size();) {
    size_t next = i + 1;
    while (next < hunks.size() && hunks[next].begin <= hunks[next - 1].end + 2 * context)
      ++next;
    size_t begin = hunks[i].begin - std::min(hunks[i].begin, context);
    size_t end = std::min(hunks[next - 1].end + context, lines.size());
    std::string body;
    int64_t added = 0, line = begin;
    for (; i < next; ++i) {
      for (; size_t(line) < hunks[i].begin; ++line)
        addLine(body, ' ', lines[line]);
      for (; size_t(line) < hunks[i].end; ++line, --added)
        addLine(body, '-', lines[line]);
      for (StringRef text : splitLines(hunks[i].after)) {
        addLine(body, '+', text);
        ++added;
      }
    }
    for (; size_t(line) < end; ++line)
      addLine(body, ' ', lines[line]);
    int64_t count = end - begin;
    out += "@@ -" + std::to_string(begin + 1) + "," + std::to_string(count) + " +" +
           std::to_string(begin + 1 + shift) + "," + std::to_string(count + added) + " @@\n" + body;
    shift += added;
  }
  if (out.empty())
    return out;
  return "--- " + path.str() + "\n+++ " + path.str() + "\n" + out;
}

} // namespace nereid::upgrade
