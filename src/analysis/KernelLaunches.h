// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What there is to prove of a module: each kernel under each of its launches and configurations. A
// kernel that the module does not launch is met under a contract that knows its argument types
// alone.
#pragma once

#include "analysis/LaunchContract.h"

#include "mlir/IR/BuiltinOps.h"

namespace nereid::analysis {

/// `instance` has the numbers of one configuration; it is null when the configuration does not fit
/// the kernel, which was reported as a diagnostic then.
using VisitLaunch = llvm::function_ref<void(mlir::func::FuncOp kernel, mlir::func::FuncOp instance,
                                            const LaunchContract &contract)>;

void forEachLaunch(mlir::ModuleOp module, VisitLaunch visit);
/// The kernels that no launch of the module names.
void forEachUnlaunched(mlir::ModuleOp module, VisitLaunch visit);

/// A contract for a kernel whose launch is not known: pointer `x` leads to `numel(x)` elements,
/// integers are symbols by their names, the grid is `num_programs(0)` and as many further axes as
/// the kernel asks for.
LaunchContract openContractOf(mlir::func::FuncOp kernel);

} // namespace nereid::analysis
