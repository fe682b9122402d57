// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the last digit of a number decides.
#pragma once

#include "mlir/IR/Value.h"

namespace nereid::graph {

/// Whether a step lies behind a value: an operator whose result jumps where its operand crosses a
/// point (rounding, a cast to integers, a comparison but with 0, a remainder, a search, the place
/// of the greatest), with only operators between that keep the value's digits: neither sums, whose
/// own error is greater, nor a program's end. There a quotient that is one unit in the last place
/// off, as GPUs' fast division gives it, makes 2 of 3.
bool reachesStep(mlir::Value value);

} // namespace nereid::graph
