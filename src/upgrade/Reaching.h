// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Signatures at which a kernel reaches a place that others do not: the conditions around the place
// tell what its switches have to be.
#pragma once

#include "audit/KernelTree.h"
#include "upgrade/Changes.h"

namespace nereid::upgrade {

/// `base` with the parameters that the conditions around `place` ask about changed so that these
/// hold, or do not hold where it stands in the other branch. Nullopt where nothing changes.
std::optional<audit::Attempt> reach(const FunctionText &text, const python::Node &place,
                                    const triton::JitFunction &kernel, const audit::Attempt &base);

} // namespace nereid::upgrade
