// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "validate/Matrix.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <array>

namespace nereid::validate {

llvm::StringRef getName(Pattern pattern) {
  static constexpr llvm::StringLiteral names[] = {
      "normal",      "zeros",    "ones",      "1e6", "1e-6", "negative",
      "alternating", "overflow", "underflow", "inf", "nan"};
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

namespace {

/// The Factors of a case; a row has one choice for each, as an index.
enum Factor : unsigned { VariantNumber, Values, Memory, Batch, Size, Factors };
using Row = std::array<unsigned, Factors>;

/// The sizes that meet every other choice, those preferred first that are quick to run.
constexpr int64_t pairedSizes[] = {7, 1, fullSize, 1000, 4096, hintedSize, 0};

/// Rows of which each pair of choices that can meet does meet in one.
class Cover {
public:
  explicit Cover(unsigned variants)
      : extents{variants, patternCount, layoutCount, unsigned(std::size(batches)),
                unsigned(std::size(pairedSizes))} {
    for (unsigned factor = 0, start = 0; factor < Factors; start += extents[factor++])
      starts[factor] = start;
    levels = starts[Size] + extents[Size];
    covered.assign(size_t(levels) * levels, false);
    uses.assign(levels, 0);
  }

  void add(const Row &row) {
    rows.push_back(row);
    for (unsigned factor = 0; factor < Factors; ++factor)
      ++uses[starts[factor] + row[factor]];
    for (unsigned a = 0; a < Factors; ++a)
      for (unsigned b = a + 1; b < Factors; ++b)
        if (counts(row, b))
          at(a, row[a], b, row[b]) = true;
  }

  /// Adds rows until every pair is covered: each begins with an open pair, and takes for each other
  /// factor the choice that covers most.
  void complete() {
    for (unsigned a = 0; a < Factors; ++a)
      for (unsigned b = a + 1; b < Factors; ++b)
        for (unsigned first = 0; first < extents[a]; ++first)
          for (unsigned second = 0; second < extents[b]; ++second)
            if (!at(a, first, b, second) && canMeet(a, first, b, second))
              add(extend(a, first, b, second));
  }

  std::vector<Row> rows;

private:
  std::vector<bool>::reference at(unsigned a, unsigned first, unsigned b, unsigned second) {
    return covered[size_t(starts[a] + first) * levels + starts[b] + second];
  }

  /// Tensors without elements say nothing about other choices.
  static bool counts(const Row &row, unsigned later) {
    return later == Size || pairedSizes[row[Size]] != 0;
  }

  /// The typical sizes have a batch of their own, and what is large is not run often.
  static bool canMeet(unsigned a, unsigned first, unsigned b, unsigned second) {
    if (a != Batch || b != Size)
      return true;
    Case one{.size = pairedSizes[second], .batch = batches[first]};
    return !one.isLarge() && (one.size != hintedSize || one.batch == usualBatch);
  }

  Row extend(unsigned a, unsigned first, unsigned b, unsigned second) {
    Row row = {};
    std::array<bool, Factors> isSet = {};
    row[a] = first;
    row[b] = second;
    isSet[a] = isSet[b] = true;
    for (unsigned factor = Factors; factor-- > 0;) {
      if (isSet[factor])
        continue;
      isSet[factor] = true;
      // Of choices that cover as much the one that is quick to run, or else was seldom made.
      std::pair<int, int> best(-1, 0);
      for (unsigned choice = 0; choice < extents[factor]; ++choice) {
        int rare = factor < Batch ? -uses[starts[factor] + choice] : 0;
        std::pair<int, int> gain(countOpen(row, isSet, factor, choice), rare);
        if (gain.first >= 0 && gain > best) {
          best = gain;
          row[factor] = choice;
        }
      }
    }
    return row;
  }

  /// How many open pairs a choice covers with those made; -1 where it cannot be made.
  int countOpen(const Row &row, const std::array<bool, Factors> &isSet, unsigned factor,
                unsigned choice) {
    if (factor == Size && pairedSizes[choice] == 0)
      return -1;
    int open = 0;
    for (unsigned other = 0; other < Factors; ++other) {
      if (!isSet[other] || other == factor)
        continue;
      auto [a, b] = std::minmax(factor, other);
      unsigned first = a == factor ? choice : row[a], second = b == factor ? choice : row[b];
      if (!canMeet(a, first, b, second))
        return -1;
      bool isCounted = b == Size || !isSet[Size] || pairedSizes[row[Size]] != 0;
      open += isCounted && !at(a, first, b, second);
    }
    return open;
  }

  Row extents, starts;
  unsigned levels;
  /// By the numbers of two choices, that of the earlier factor first.
  std::vector<bool> covered;
  /// How often each choice was made.
  std::vector<int> uses;
};

} // namespace

static Case makeCase(const Row &row) {
  return {row[VariantNumber], static_cast<Pattern>(row[Values]), static_cast<Layout>(row[Memory]),
          pairedSizes[row[Size]], batches[row[Batch]]};
}

/// With the patterns that need many elements, and layouts that reach far.
static void addLargeCases(unsigned variants, std::vector<Case> &cases) {
  constexpr Case chosen[] = {
      {0, Pattern::Normal, Layout::Contiguous, largeSize, usualBatch},
      {1, Pattern::Large, Layout::Strided, largeSize, usualBatch},
      {2, Pattern::NaN, Layout::Transposed, largeSize, usualBatch},
      {3, Pattern::Alternating, Layout::Contiguous, 4096, largeBatch},
  };
  for (Case one : chosen) {
    one.variant %= variants;
    cases.push_back(one);
  }
}

/// Of more variants (the cases of a program, and its gradients) not every combination is run.
constexpr unsigned fullVariants = 8;

std::vector<Case> makeMatrix(unsigned variants) {
  Cover cover(variants);
  unsigned full = llvm::find(pairedSizes, fullSize) - std::begin(pairedSizes);
  unsigned step = (variants + fullVariants - 1) / fullVariants;
  for (unsigned variant = 0; variant < variants; ++variant)
    for (unsigned pattern = 0; pattern < patternCount; ++pattern)
      for (unsigned layout = 0; layout < layoutCount; ++layout)
        if (unsigned sum = variant + pattern + layout; sum % step == 0)
          cover.add({variant, pattern, layout, sum / step % 2, full});
  cover.complete();
  std::vector<Case> cases;
  for (int64_t size : sizes)
    for (bool isBatch : {false, true})
      for (const Row &row : cover.rows)
        if (Case one = makeCase(row); one.size == size && (one.batch == largeBatch) == isBatch)
          cases.push_back(one);
  addLargeCases(variants, cases);
  return cases;
}

} // namespace nereid::validate
