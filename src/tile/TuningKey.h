// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/ADT/StringRef.h"

namespace nereid::tile {

/// Of a hand-written kernel: the names by whose values its configurations are chosen.
inline constexpr llvm::StringLiteral tuningKeyAttrName = "tile.tuning_key";

} // namespace nereid::tile
