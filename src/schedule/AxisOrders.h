// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The order of the axes of what kernels store for one another. It is the program's order, unless
// most of what a value is made of, and of what is made of it, lies in memory along another axis
// than its last: a window over the time of `[batch, time, channel]` is `[batch, channel, time]`
// for PyTorch, and is stored as what it reads.
#pragma once

#include "schedule/Value.h"

namespace nereid::schedule {

/// Gives values that are no results the axis last along which their kernels go through memory.
/// Programs with contractions keep theirs, which have relayouts of their own.
void settleAxisOrders(Program &program);

} // namespace nereid::schedule
