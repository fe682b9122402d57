// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Divisions of the positions of lanes. A kernel finds the axes of an element by dividing its
// position by sizes that only the call knows; positions are never negative, and without signs the
// machine divides in two thirds of the time.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace nereid::tile {

/// Makes the divisions of positions in 32 bits by arguments of the kernel unsigned.
void divideUnsigned(mlir::func::FuncOp func);

} // namespace nereid::tile
