// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Choices that say what their value says already. Where padding, slices and their gradients choose
// between an element and 0 under a condition, the load of the element is masked by that condition
// and gives 0 elsewhere: `where(c, load(p, mask=m & c, other=0), 0)` is the load.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace nereid::tile {

/// Replaces choices between a value and a constant by the value where it is that constant wherever
/// the condition does not hold.
void dropImpliedChoices(mlir::func::FuncOp func);

} // namespace nereid::tile
