// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The order of the axes of what functions of the graph take and return. Within a program each value
// lies as its kernels go through it (AxisOrders.h); what stands between functions is row-major, so
// that a stack of convolutional blocks would bring its images into another order at each of them. A
// function takes an image with its channels last where its products read it so, and returns it so
// where what it makes may lie in any order and most of those that it goes to want it.
#pragma once

#include "schedule/policy/Policy.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace nereid::schedule {

/// The module with such functions, and transpositions around each use; null where none gains.
mlir::OwningOpRef<mlir::ModuleOp> settleFunctionOrders(mlir::ModuleOp module, const Policy &policy);

} // namespace nereid::schedule
