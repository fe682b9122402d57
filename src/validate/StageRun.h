// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One run of a stage on arguments of its own, and what two runs have in common.
#pragma once

#include "validate/Validate.h"

namespace nereid::validate {

Run runStage(const Stage &stage, llvm::ArrayRef<HostValue> arguments, bool checked, uint64_t seed);

/// Whether all of their memory holds the same.
bool haveEqualBytes(const HostValue &a, const HostValue &b);
/// The first element of a result that nothing was stored to, in words; empty when all were.
std::string findUndefined(const Run &run);
/// How a second run differs, in words; empty when it does not.
std::string findDifference(const Run &first, const Run &second);

} // namespace nereid::validate
