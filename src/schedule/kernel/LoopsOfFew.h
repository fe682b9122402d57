// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops of a few turns, which the compiler writes out.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace nereid::schedule {

/// Whether anything but what memory is read hangs on a loop's counter: the code of some turns might
/// be less than that of others.
bool choosesByCounter(mlir::scf::ForOp loop);

/// Makes one loop of those with as many turns, none of which needs what another gives: what they
/// read in common is read once. Nothing that a kernel reads may be what it writes.
void joinLoopsOfFew(mlir::Block &block);

} // namespace nereid::schedule
