// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Halves that PyTorch would round and kernels need not: every reader of one sees it rounded, or
// every reader sees it as it was computed, in a program and in its gradient
// (docs/decisions/0010-roundings.md).
#pragma once

#include "schedule/partition/Partition.h"

namespace nereid::schedule {

/// The casts that a program and its gradient both have, by number, and whether the program rounds.
using SharedCasts = llvm::DenseMap<int64_t, bool>;

/// Decides what need not wait for the partition: what is a result, and what anything but a wide
/// reader reads, is rounded, and so are halves that are compared with one another. Of a gradient,
/// what the program rounds is, and what it does not is never stored as a half.
void settleRoundings(Program &program, const SharedCasts &ofProgram);

/// Finds the values whose readers all end in halves that PyTorch rounds (`Value::isShownAsHalf`).
void findShownAsHalves(Program &program);

/// What a program and its partition have decided: what is stored is rounded, too.
SharedCasts findRoundings(const Program &program, const StoredSet &stored);

} // namespace nereid::schedule
