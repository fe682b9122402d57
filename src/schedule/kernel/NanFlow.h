// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether a fold may drop NaN: PyTorch's max and min propagate NaN, Triton's plain ones do not. The
// plain spelling is right where a NaN among the folded elements reaches every output another way.
#pragma once

#include "schedule/nest/Kernel.h"

namespace nereid::schedule {

/// True when every output of the kernel that depends on the max or min `fold` also depends, through
/// operators that keep NaN, on a sum over the same row of a value that is NaN wherever the folded
/// one is.
bool mayDropNan(const Program &program, const Value &fold, const Kernel &kernel,
                const StoredSet &stored);

} // namespace nereid::schedule
