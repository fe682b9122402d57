// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rules that read launches as wrappers make them.
#pragma once

#include "audit/RuleSite.h"
#include "audit/Wrappers.h"

namespace nereid::audit {

/// TRC011: a public wrapper takes it for granted that a tensor is contiguous.
void findAssumedLayouts(const KernelLaunches &launches, RuleSite &site);

} // namespace nereid::audit
