// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What there is to prove of a module: each kernel under each of its launches and configurations,
// once for those whose meta-parameters are the same. A kernel that the module does not launch is
// met under a contract that knows its argument types alone.
#pragma once

#include "analysis/LaunchContract.h"

#include "mlir/IR/BuiltinOps.h"

namespace nereid::analysis {

/// A kernel as one of its configurations launches it.
struct LaunchedKernel {
  mlir::func::FuncOp kernel;
  /// With all numbers of the kernel.
  tile::ConfigAttr config;
  LaunchContract contract;

  /// The kernel with the numbers of the configuration; failure, which is reported as a diagnostic,
  /// where that does not fit it.
  mlir::FailureOr<mlir::OwningOpRef<mlir::func::FuncOp>> instantiate() const;
};
using VisitLaunch = llvm::function_ref<void(const LaunchedKernel &)>;
/// What some of a launch's configurations share; nullopt where that cannot be said.
using ShareLaunches =
    llvm::function_ref<std::optional<LaunchedKernel>(llvm::ArrayRef<unsigned> configurations)>;
/// The configurations of one launch.
using VisitLaunches = llvm::function_ref<void(llvm::ArrayRef<LaunchedKernel>, ShareLaunches share)>;

void forEachLaunch(mlir::ModuleOp module, VisitLaunch visit);
void forEachLaunch(mlir::ModuleOp module, VisitLaunches visit);
/// The kernels that no launch of the module names.
void forEachUnlaunched(mlir::ModuleOp module, VisitLaunch visit);

/// A contract for a kernel whose launch is not known: pointer `x` leads to `numel(x)` elements,
/// integers are symbols by their names, the grid is `num_programs(0)` and as many further axes as
/// the kernel asks for.
LaunchContract openContractOf(mlir::func::FuncOp kernel);

} // namespace nereid::analysis
