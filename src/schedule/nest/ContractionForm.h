// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The form of a kernel of contractions: which side of its tiles has the rows, what of a side has
// tiles of its own, and which of the columns are a loop outside of the others.
#pragma once

#include "schedule/nest/KernelExprs.h"

namespace nereid::schedule {

/// Chooses the form of such a kernel, whose axes are merged.
void chooseContraction(const Program &program, const KernelExprs &exprs, const Kernel &kernel,
                       Form &form);

} // namespace nereid::schedule
