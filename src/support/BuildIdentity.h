// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which build of the tool this is.
#pragma once

#include <string>

namespace nereid {

/// Tells executables apart that were made of different sources: what the linker made of their
/// contents, or else these.
std::string getBuildIdentity();

} // namespace nereid
