// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops of launches as one launch. Where the turns of a loop are a launch each whose programs all
// run at once, a kernel makes all turns: its programs wait for one another between two turns.
//
// The two tensors of each state become one, whose halves change places: turn t reads the half t % 2
// and writes the other. The kernel takes a range of turns, so that a launch whose programs do not
// run at once (at larger sizes, or in an interpreter) may be made for each turn.
#pragma once

#include "schedule/policy/Device.h"
#include "schedule/program/Value.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace nereid::schedule {

/// Replaces the loops of a host program whose turns are one launch each. Kernels that nothing
/// launches any more are erased.
void makeTurnsAtOnce(mlir::func::FuncOp func, const Program &program);

} // namespace nereid::schedule
