// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Windows that overlap: neighbouring results of a convolution of each channel, of a pool or of a
// blur are folds of much the same elements. A lane makes several neighbours along an axis, and
// reads once what their windows share.
#pragma once

#include "schedule/nest/KernelExprs.h"

namespace nereid::schedule {

/// Cuts an axis of a kernel of windows into strips, and gives it tiles of strips and of the axis
/// along which neighbours lie in memory, where that reads much less. Returns whether it did.
bool cutIntoStrips(const Program &program, const StoredSet &stored, const KernelExprs &exprs,
                   Kernel &kernel);

} // namespace nereid::schedule
