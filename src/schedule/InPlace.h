// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which values are stored in the memory of the arguments that they are assigned to: where nothing
// reads what the argument was but the lanes that write there. Everything else is stored apart, and
// copied at the end.
#pragma once

#include "schedule/Partition.h"

namespace nereid::schedule {

/// What is assigned, and the argument that it may be stored in.
llvm::MapVector<Value *, const Value *> findInPlace(const Program &program,
                                                    const Partition &partition);

} // namespace nereid::schedule
