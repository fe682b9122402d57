// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Error functions of which only halves are shown. What a Gaussian error linear unit takes of
// one is 1 + erf(x), of which a complementary error function to a few digits says more than the sum
// does: no digits are lost where erf(x) is near -1. It is computed by one exponential.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace nereid::tile {

/// Replaces 1 + erf(x) by an approximate erfc(-x), where erf(x) is marked as approximate (`afn`);
/// takes the mark off others.
void complementErrorFunctions(mlir::func::FuncOp func);

} // namespace nereid::tile
