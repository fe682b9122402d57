// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "schedule/policy/Policy.h"

namespace nereid::schedule {

/// The moves before a first one.
static constexpr uint32_t movesBefore(unsigned first) { return (uint32_t(1) << first) - 1; }

Policy::Policy(int stage, const Device &device, std::function<unsigned(unsigned)> chooser)
    : device(&device), chooser(std::move(chooser)) {
  if (stage >= 2)
    moves = movesBefore(unsigned(MoveKind::LoopPipelining) + 1);
  if (stage >= 3)
    moves = movesBefore(unsigned(MoveKind::ShortFunctions) + 1);
}

} // namespace nereid::schedule
