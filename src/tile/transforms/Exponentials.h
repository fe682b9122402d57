// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Exponentials that are added to numbers of 1 or more, as a sigmoid's and those of a softmax's sum
// are. Triton's `exp` takes five instructions, three of them for results below 2**-126, which such
// a sum does not show; `exp2` takes one, and a product.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace nereid::tile {

/// Makes exponentials by `exp2` where they are marked (`afn`), or where all that use one add a
/// number of 1 or more to it; takes the mark off.
void shortenExponentials(mlir::func::FuncOp func);

} // namespace nereid::tile
