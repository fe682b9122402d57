// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which values are stored in the memory of the arguments that they are assigned to: where nothing
// reads what the argument was but the lanes that write there. Everything else is stored apart, and
// copied at the end.
#pragma once

#include "schedule/partition/Partition.h"

namespace nereid::schedule {

/// Sets `memory` of the program's results. Returns the arguments that are not written to and are
/// read once something was stored: a call may pass memory of a written argument for them.
llvm::SmallVector<const Value *> storeInPlace(const Program &program, const Partition &partition);

} // namespace nereid::schedule
