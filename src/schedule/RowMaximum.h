// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether a subtraction takes its row's maximum away: `x - max(x)`. Then -inf in place of x gives
// -inf, or the whole row is NaN anyway (its maximum is infinite or NaN), and lanes beyond the row
// need no mask of their own.
#pragma once

#include "schedule/Value.h"

namespace nereid::schedule {

bool subtractsMaximum(const Program &program, const Value &difference);

} // namespace nereid::schedule
