// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The cases that a program is validated on: element types, patterns of values, layouts in memory,
// sizes and batches. `makeMatrix` covers every combination of the first three at size 64, every
// pair of two choices over all, and at a million elements a few cases that are worth their time.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <string>
#include <vector>

namespace nereid::validate {

/// Overflow and Underflow: numbers near the greatest and the least ones of the element type.
enum class Pattern : uint8_t {
  Normal,
  Zeros,
  Ones,
  Large,
  Small,
  Negative,
  Alternating,
  Overflow,
  Underflow,
  Inf,
  NaN
};
constexpr unsigned patternCount = 11;

/// How the inputs lie in memory. Transposed: the storage order of the axes is reversed. Strided:
/// every second element of a larger tensor. Offset: a block inside a larger tensor, whose rows do
/// not follow one another. Expanded: one row that stands for all of them (stride 0).
enum class Layout : uint8_t { Contiguous, Transposed, Strided, Offset, Expanded };
constexpr unsigned layoutCount = 5;

/// A size of the last axis, or the typical sizes that the program was imported with.
constexpr int64_t hintedSize = -1;
constexpr int64_t fullSize = 64;
constexpr int64_t largeSize = 1000000;
/// What is quick to run comes first.
constexpr int64_t sizes[] = {0, 1, 7, fullSize, 1000, 4096, hintedSize, largeSize};

/// Sizes of the first other axis that is a symbol.
constexpr int64_t usualBatch = 7;
constexpr int64_t largeBatch = 256;
constexpr int64_t batches[] = {usualBatch, 1, largeBatch};

struct Case {
  /// Which of the program's variants.
  unsigned variant = 0;
  Pattern pattern = Pattern::Normal;
  Layout layout = Layout::Contiguous;
  int64_t size = fullSize;
  /// Means nothing at the typical sizes.
  int64_t batch = usualBatch;
  bool operator==(const Case &) const = default;

  /// Whether an input holds a million elements: a run takes long.
  bool isLarge() const { return size == largeSize || (size == 4096 && batch == largeBatch); }
  /// How many elements the axes hold that the case decides on.
  int64_t elements() const { return batch == largeBatch ? size * batch : size; }
};

llvm::StringRef getName(Pattern pattern);
llvm::StringRef getName(Layout layout);
/// `64`, `typical`.
std::string getSizeName(int64_t size);

/// In the order of the sizes.
std::vector<Case> makeMatrix(unsigned variants);

} // namespace nereid::validate
