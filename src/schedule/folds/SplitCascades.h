// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Splits sums that need the results of other folds over the same elements (a variance, the sum of a
// softmax): each window keeps the features of the cascade algebra about a reference of its own, the
// mean or the extreme of its elements, and the fold of the windows moves them to the result's. So
// the elements are read once, where the second fold would have to wait for the first.
#pragma once

#include "schedule/program/Value.h"

namespace nereid::schedule {

/// How a fold is cut into parts, which programs fold: into windows of so many of its positions, or,
/// of several axes, into what stands at each index of the first few.
struct FoldCut {
  int64_t window = 0;
  unsigned leading = 0;

  bool isAny() const { return window != 0 || leading != 0; }
  bool operator==(const FoldCut &) const = default;

  /// How many indices say which part, and the extents of these.
  unsigned countIndices() const { return leading != 0 ? leading : 1; }
  llvm::SmallVector<Expr, 2> partsOf(const Value &fold, index::Context &context) const;
  /// What a part is folded over.
  llvm::ArrayRef<Expr> extentsWithin(const Value &fold) const {
    return llvm::ArrayRef(fold.foldExtents).drop_front(leading);
  }
  /// What the indices of the fold are in a part whose own indices `within` are: those of its value
  /// stand behind those that say which part.
  llvm::SmallVector<Expr, 4> outerIndices(const Program &program, const Value &fold) const;
  llvm::SmallVector<Expr, 4> foldIndices(const Program &program, const Value &fold,
                                         llvm::function_ref<Expr(unsigned)> within) const;
};

/// What has been split already: folds by the folds over windows that they combine, and sums that
/// are made of several such.
struct SplitFoldSet {
  llvm::DenseMap<const Value *, Value *> partials;
  /// How these are cut.
  llvm::DenseMap<const Value *, FoldCut> cuts;
  llvm::DenseSet<const Value *> all;
};

/// Replaces what `fold` adds up by features of such parts, where its terms need folds that were
/// split so and the algebra finds them. Returns false, and changes nothing, elsewhere.
bool splitCascade(Program &program, Value &fold, const FoldCut &cut, SplitFoldSet &splits);

} // namespace nereid::schedule
