// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rules that read launches as wrappers make them.
#pragma once

#include "audit/RuleSite.h"
#include "audit/Wrappers.h"

namespace nereid::audit {

/// TRC012: more programs along the second or third axis of a grid than a GPU takes.
void findLargeGrids(const KernelLaunches &launches, RuleSite &site);

} // namespace nereid::audit
