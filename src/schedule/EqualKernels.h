// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef NEREID_SCHEDULE_EQUALKERNELS_H
#define NEREID_SCHEDULE_EQUALKERNELS_H

#include "mlir/IR/BuiltinOps.h"

#include "llvm/ADT/StringMap.h"

namespace nereid::schedule {

/// Set on a kernel that may serve tensors of other names too; it is gone from the result.
inline constexpr llvm::StringLiteral anyNamesAttrName = "schedule.any_names";

/// Launches a kernel for any strides also where inputs are contiguous, if the kernel that was made
/// for contiguous inputs is the same: it reads only memory that the program allocates. Of kernels
/// that may have any names, those that are the same become one. Returns the names of the kernels
/// that are gone, each with the one that is launched instead.
llvm::StringMap<std::string> mergeEqualKernels(mlir::ModuleOp module);

} // namespace nereid::schedule

#endif // NEREID_SCHEDULE_EQUALKERNELS_H
