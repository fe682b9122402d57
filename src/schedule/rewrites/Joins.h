// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Values that are others put together, such as the phases of a transposed convolution, each of
// which has a kernel of its own: the parts are stored at their places of the whole, and no kernel
// puts them together. Maps of the whole are made of the parts.
#pragma once

#include "schedule/program/Value.h"

namespace nereid::schedule {

/// Finds choices among the sums of contractions that take every element of each of them once, and
/// marks them and their parts (`Value::isJoin`, `Value::join`).
void findJoins(Program &program);

} // namespace nereid::schedule
