// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Launches that only find how factors are scaled (docs/decisions/0025-scaled-factors.md): without
// TF32 nothing is scaled, and they are left out.
#pragma once

#include "host/HostOps.h"

namespace nereid::emit {

/// Whether all that a launch makes is taken by scales of halves, or by launches of this kind.
bool findsScalesAlone(host::LaunchOp launch);

} // namespace nereid::emit
