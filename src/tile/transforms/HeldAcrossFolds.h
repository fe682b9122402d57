// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "mlir/IR/Block.h"

namespace nereid::tile {

/// The most bits that an element of a tile of floating-point numbers holds while a fold or scan of
/// `block` waits for all lanes: of the values that are made before it and used after it. Places and
/// masks are made again sooner than kept.
int64_t bitsHeldAcrossFolds(mlir::Block &block);

} // namespace nereid::tile
