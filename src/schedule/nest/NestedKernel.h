// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels whose folds have contractions in their terms that nothing stores: each program makes
// tiles of them for its rows and the columns that its loop has come to. The weighted sum of
// attention, its softmax and its scores are one kernel so, and the gradients make the scores again.
//
// Rows that the right factor of the kernel's own sums has are held whole (a head's features), and
// so is what a nested contraction is summed over. Other folds over the columns are numbers of the
// remaining rows: greatest scores, and sums of their exponentials.
#pragma once

#include "schedule/nest/Kernel.h"

namespace nereid::schedule {

/// The most elements that a program may hold of what a nested contraction is summed over, and of
/// the right axes.
inline constexpr int64_t nestedLimit = 256;

/// The axes of such a kernel; nothing where outputs need no nested contraction, or none that can be
/// made in tiles.
std::optional<Kernel> planNested(const Program &program, llvm::ArrayRef<Value *> outputs,
                                 const StoredSet &stored);

/// When a program can hold what it has to: its configurations are for the blocks that hold what is
/// typical, and larger ones need not fit into shared memory.
Pred fitsNested(const Program &program, const Kernel &kernel);

} // namespace nereid::schedule
