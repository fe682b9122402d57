// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "validate/Matrix.h"

#include "llvm/ADT/STLExtras.h"

#include <array>
#include <set>

namespace nereid::validate {

llvm::StringRef getName(Pattern pattern) {
  static constexpr llvm::StringLiteral names[] = {"normal", "zeros",       "ones", "1e6",
                                                  "1e-6",   "alternating", "inf",  "nan"};
  return names[static_cast<unsigned>(pattern)];
}

llvm::StringRef getName(Layout layout) {
  static constexpr llvm::StringLiteral names[] = {"contiguous", "transposed", "strided", "offset",
                                                  "expanded"};
  return names[static_cast<unsigned>(layout)];
}

std::string getSizeName(int64_t size) {
  return size == hintedSize ? "typical" : std::to_string(size);
}

/// One choice for each of variant, pattern, layout and size (as an index into the sizes).
using Row = std::array<unsigned, 4>;

/// A pair of choices of two different factors.
using Pair = std::array<unsigned, 4>;

static std::array<Pair, 6> pairsOf(const Row &row) {
  std::array<Pair, 6> pairs;
  unsigned next = 0;
  for (unsigned a = 0; a < 4; ++a)
    for (unsigned b = a + 1; b < 4; ++b)
      pairs[next++] = {a, row[a], b, row[b]};
  return pairs;
}

/// Every row, the last factor changing fastest.
static std::vector<Row> allRows(const Row &extents) {
  std::vector<Row> rows;
  for (unsigned a = 0; a < extents[0]; ++a)
    for (unsigned b = 0; b < extents[1]; ++b)
      for (unsigned c = 0; c < extents[2]; ++c)
        for (unsigned d = 0; d < extents[3]; ++d)
          rows.push_back({a, b, c, d});
  return rows;
}

/// Rows that hold every pair of choices, each the row with the most pairs not held yet.
static std::vector<Row> coverPairs(const Row &extents) {
  std::vector<Row> candidates = allRows(extents), chosen;
  std::set<Pair> open;
  for (const Row &row : candidates)
    for (const Pair &pair : pairsOf(row))
      open.insert(pair);
  while (!open.empty()) {
    const Row *best = nullptr;
    long most = -1;
    for (const Row &row : candidates) {
      long gain = llvm::count_if(pairsOf(row), [&](const Pair &pair) { return open.count(pair); });
      if (gain > most) {
        most = gain;
        best = &row;
      }
    }
    for (const Pair &pair : pairsOf(*best))
      open.erase(pair);
    chosen.push_back(*best);
  }
  return chosen;
}

static Case makeCase(const Row &row, int64_t size) {
  return {row[0], static_cast<Pattern>(row[1]), static_cast<Layout>(row[2]), size};
}

/// With the patterns that need many elements, and layouts that reach far.
static void addLargeCases(unsigned variants, std::vector<Case> &cases) {
  static constexpr std::pair<Pattern, Layout> chosen[] = {{Pattern::Normal, Layout::Contiguous},
                                                          {Pattern::Large, Layout::Strided},
                                                          {Pattern::NaN, Layout::Transposed}};
  for (auto [number, pair] : llvm::enumerate(chosen))
    cases.push_back({static_cast<unsigned>(number) % variants, pair.first, pair.second, largeSize});
}

std::vector<Case> makeMatrix(unsigned variants) {
  unsigned others = std::size(sizes) - 2;
  std::vector<Row> pairs = coverPairs({variants, patternCount, layoutCount, others});
  std::vector<Case> cases;
  unsigned place = 0;
  for (int64_t size : sizes) {
    if (size == largeSize) {
      addLargeCases(variants, cases);
      continue;
    }
    if (size == fullSize) {
      for (const Row &row : allRows({variants, patternCount, layoutCount, 1}))
        cases.push_back(makeCase(row, size));
      continue;
    }
    for (const Row &row : pairs)
      if (row[3] == place)
        cases.push_back(makeCase(row, size));
    ++place;
  }
  return cases;
}

} // namespace nereid::validate
