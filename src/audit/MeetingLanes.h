// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stores whose lanes may have one place: `tl.store(y + offsets // 2, x)`.
#pragma once

#include "tile/TileOps.h"

namespace nereid::audit {

/// Whether places of a store are lanes that something has brought together: a quotient, a
/// remainder, a shift to the right, a bound. Not whether they are: runs tell that.
bool mayMeet(tile::StoreOp store);

} // namespace nereid::audit
