// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Values that are subtracted and cancel again. A softmax by hand takes the greatest element m of
// each row away before it takes exponentials: e = exp(x - m), e / sum(e). The quotient is the same
// for every m, as are x - m - log(sum(e)) and m + log(sum(e)), so its derivative by m is 0 and no
// gradient has to go back to the element that was the greatest.
#pragma once

#include "graph/GraphOps.h"

namespace nereid::autodiff {

/// Whether no operator that has a gradient depends on `value`, all other operands held, beyond
/// rounding: whether what depends on it by `a + c * value` or by `a * exp(c * value)` cancels
/// before it reaches a result. `isOpaque` tells operators whose gradient is not that of what they
/// compute.
bool cancels(mlir::Value value, llvm::function_ref<bool(mlir::Operation *)> isOpaque);

} // namespace nereid::autodiff
