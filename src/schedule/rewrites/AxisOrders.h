// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The order of the axes of what kernels store for one another. It is the program's order, unless
// most of what a value is made of, and of what is made of it, lies in memory along another axis
// than its last: a window over the time of `[batch, time, channel]` is `[batch, channel, time]`
// for PyTorch, and is stored as what it reads.
#pragma once

#include "schedule/program/Value.h"

namespace nereid::schedule {

/// Gives values that are no results the axis last along which their kernels go through memory.
/// Contractions write along any axis and read along what they sum over, so that images of a
/// network of convolutions have their channels last, without copies.
void settleAxisOrders(Program &program);

} // namespace nereid::schedule
