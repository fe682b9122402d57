// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Instances of a kernel: the same function with the numbers of one configuration. Only numbers
// change: the extents of tiles, from the names of their axes, and the values of `tile.meta`.
#pragma once

#include "tile/TileDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace nereid::tile {

/// A copy of the kernel under a configuration, in no module yet (the caller inserts or erases it),
/// whose `tile.configs` holds that configuration alone. Fails with a diagnostic at the operation
/// when a name has no value, an expression cannot be read or the instance does not verify.
mlir::FailureOr<mlir::OwningOpRef<mlir::func::FuncOp>> cloneInstance(mlir::func::FuncOp kernel,
                                                                     ConfigAttr config);

/// The kernel's first configuration with these meta-parameters put in (they win); with 4 warps and
/// 3 stages where the kernel has none.
ConfigAttr getConfig(mlir::func::FuncOp kernel, mlir::DictionaryAttr meta);

/// The names in `tile.meta`.
llvm::SmallVector<llvm::StringRef> getMetaNames(mlir::func::FuncOp kernel);

/// What kernels are tuned for: on a kernel the names of sizes that launches give it, which it does
/// not read, in the order of its parameters; on a launch what they are.
inline constexpr llvm::StringLiteral tunedForAttrName = "tuned_for";
llvm::SmallVector<llvm::StringRef> getTunedFor(mlir::func::FuncOp kernel);

/// The user's name of a kernel's argument, or `argN`.
std::string getArgumentName(mlir::func::FuncOp kernel, unsigned argument);

} // namespace nereid::tile
