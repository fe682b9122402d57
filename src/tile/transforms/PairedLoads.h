// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Neighbours that are read apart: `x[..., ::2]` beside `x[..., 1::2]`. Two loads of every second
// element ask for each sector twice, and half of what a warp is given is not what it asked for. One
// load of tiles with a last axis of two has both, each sector once.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace nereid::tile {

/// Makes one load, whose result is split, of two that read neighbours under one mask, 2, 4 or 8
/// elements (or strides, of which most are 1) from lane to lane.
void pairLoads(mlir::func::FuncOp func);

} // namespace nereid::tile
