// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Values that are made alike of the same: two quantiles of a tensor sort it once.
#pragma once

#include "schedule/program/Value.h"

namespace nereid::schedule {

/// Lets who reads a value that is equal to an earlier one read that. Of equal sorts that hold
/// different numbers of the first elements one is left, which holds all.
void joinEqualValues(Program &program);

} // namespace nereid::schedule
