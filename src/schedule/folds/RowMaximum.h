// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether a subtraction takes its row's maximum away: `x - max(x)`. Then -inf in place of x gives
// -inf, or the whole row is NaN anyway (its maximum is infinite or NaN), and lanes beyond the row
// need no mask of their own, unless there is no row at all.
#pragma once

#include "schedule/program/Value.h"

namespace nereid::schedule {

/// The fold that is the maximum; null where the subtraction is another.
const Value *subtractedMaximum(const Program &program, const Value &difference);

} // namespace nereid::schedule
