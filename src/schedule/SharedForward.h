// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program with a gradient is scheduled twice: as it is, and as the one that saves what its
// gradient takes. Where the second costs no more, when it is not asked to save anything, the first
// has its kernels.
#pragma once

#include "schedule/Schedule.h"
#include "schedule/policy/Device.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/SmallVector.h"

namespace nereid::schedule {

struct ScheduledProgram {
  mlir::func::FuncOp func;
  ScheduleReport report;
  /// The bytes of each result at the planned sizes.
  llvm::SmallVector<int64_t> resultBytes;
};

/// Marks those that save if they are asked (host/Needs.h), makes the plain ones the same without
/// what is saved, and empties their reports.
void shareForwards(llvm::MutableArrayRef<ScheduledProgram> programs, const Device &device);

} // namespace nereid::schedule
