// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef NEREID_SCHEDULE_EQUALKERNELS_H
#define NEREID_SCHEDULE_EQUALKERNELS_H

#include "mlir/IR/BuiltinOps.h"

#include "llvm/ADT/StringMap.h"

namespace nereid::schedule {

/// Makes one kernel of those that are the same but for names, documentation and the names of their
/// arguments: equal steps of a program, or a kernel for contiguous inputs that reads only memory
/// which the program allocates. The first keeps its name, or the first that is not of the
/// contiguous arm. Returns the names of the kernels that are gone, each with the one that is
/// launched instead.
llvm::StringMap<std::string> mergeEqualKernels(mlir::ModuleOp module);

} // namespace nereid::schedule

#endif // NEREID_SCHEDULE_EQUALKERNELS_H
