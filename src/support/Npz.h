// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// NumPy's archives .npz: named arrays in a zip file without compression, as numpy.savez writes
// them.
#pragma once

#include "support/Npy.h"

#include <utility>

namespace nereid {

using NpzArrays = std::vector<std::pair<std::string, NpyArray>>;

/// The text of an archive; the same for the same arrays on every machine.
std::string formatNpz(const NpzArrays &arrays);

/// One array of an archive; nullopt with the reason in `error`.
std::optional<NpyArray> readNpz(llvm::StringRef path, llvm::StringRef name, std::string &error);

} // namespace nereid
