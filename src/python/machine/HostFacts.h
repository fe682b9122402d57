// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is known of libraries that are not there, where host code is read and not run
// (Machine::spreadsOpaque): the limits of number types, and that there is a GPU.
#pragma once

#include "python/machine/Machine.h"

namespace nereid::machine {

/// The number that a path such as `torch.iinfo(torch.int32).min` or
/// `torch.finfo(torch.float16).eps` stands for; null for others.
Value findLimit(Machine &machine, llvm::StringRef path);

/// Whether it asks if there is a device that kernels are for: `torch.cuda.is_available()`.
bool isKnownToHold(llvm::StringRef path);

/// The number that a path of PyTorch is taken to be: there is one device.
std::optional<int64_t> findNumber(llvm::StringRef path);

} // namespace nereid::machine
