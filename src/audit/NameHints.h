// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the names of parameters say where nothing else does.
#pragma once

#include "llvm/ADT/StringRef.h"

namespace nereid::audit {

/// Whether a name speaks of what is counted, marked or looked up, which is no float: `mask_ptr`,
/// `block_counts`.
bool namesIntegers(llvm::StringRef name);
/// Whether a dtype is that of sums, which are held wider than what is summed: `ACC_DTYPE`.
bool namesSums(llvm::StringRef name);

} // namespace nereid::audit
