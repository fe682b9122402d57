// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Folds that are the same along an axis: `x[:, None].expand(-1, k, -1) @ w` has each product k
// times.
#pragma once

#include "schedule/program/Value.h"

namespace nereid::schedule {

/// Takes the axes along which a fold does not vary from it, and from what reads it. Results keep
/// theirs, as does what is read whole.
void dropRepeatedAxes(Program &program);

} // namespace nereid::schedule
