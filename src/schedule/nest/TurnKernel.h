// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels that make the turns of a loop. A program has some elements of what the loop carries, each
// lane its own, and goes over all turns; what a turn yields is stored at once, what the loop leaves
// after the last turn.
#pragma once

#include "schedule/nest/Kernel.h"

namespace nereid::schedule {

/// The loop that a kernel of these outputs makes the turns of; -1 when there is none.
int loopOf(llvm::ArrayRef<Value *> outputs, const StoredSet &stored);

/// The axes of such a kernel; nothing when one kernel cannot compute the outputs in one go over the
/// turns.
std::optional<Kernel> planTurns(const Program &program, llvm::ArrayRef<Value *> outputs,
                                const StoredSet &stored, int loop);

/// The number of a loop whose turns no kernel can make; nothing when there is none. Call it once
/// all values are known.
std::optional<int> findUnmadeLoop(const Program &program);

} // namespace nereid::schedule
