// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Splits sums that need the results of other folds over the same elements (a variance, the sum of a
// softmax): each window keeps the features of the cascade algebra about a reference of its own, the
// mean or the extreme of its elements, and the fold of the windows moves them to the result's. So
// the elements are read once, where the second fold would have to wait for the first.
#pragma once

#include "schedule/Value.h"

namespace nereid::schedule {

/// What has been split already: folds by the folds over windows that they combine, and sums that
/// are made of several such.
struct SplitFoldSet {
  llvm::DenseMap<const Value *, Value *> partials;
  llvm::DenseSet<const Value *> all;
};

/// How many orders lie between two values of the program, for what is put before a fold.
inline constexpr unsigned placesBefore = 1024;

/// The place of one more value right before a fold, behind those that are there already.
unsigned orderBefore(const Program &program, const Value &fold);

/// Replaces what `fold` adds up by features over windows of the given length, where its terms need
/// folds that were split and the algebra finds them. Returns false, and changes nothing, elsewhere.
bool splitCascade(Program &program, Value &fold, int64_t length, SplitFoldSet &splits);

} // namespace nereid::schedule
