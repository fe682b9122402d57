// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Axes of a kernel that are traversed as one: the index of the inner axis then counts the positions
// of both. An expression in which the two only occur as that position takes the new index for it;
// any other is written with the quotient and the rest of the new index.
#pragma once

#include "index/Pred.h"

#include <vector>

namespace nereid::schedule {

/// expr = c * (extent * outer + inner) + rest, with neither index in c and rest.
bool isLinearInPair(index::Expr expr, index::Expr outer, index::Expr inner, index::Expr extent);
bool isLinearInPair(index::Pred pred, index::Expr outer, index::Expr inner, index::Expr extent);

class AxisMerges {
public:
  /// The only index of an axis of one element is 0, whatever reads it.
  bool isEmpty() const { return merges.empty(); }
  void drop(index::Expr symbol) { merges.push_back({symbol, {}, {}}); }
  /// `inner`, an index of `extent` elements, from now on counts the positions of both.
  void merge(index::Expr outer, index::Expr inner, index::Expr extent) {
    merges.push_back({outer, inner, extent});
  }

  index::Expr apply(index::Expr expr) const;
  index::Pred apply(index::Pred pred) const;

private:
  struct Merge {
    index::Expr outer, inner, extent;
  };
  template <typename T> T applyAll(T what) const;

  std::vector<Merge> merges;
};

} // namespace nereid::schedule
