// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Programs whose control flow depends on sizes or flags: each case is scheduled as a host program
// of its own, and one more, which the caller sees, chooses among them.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace nereid::schedule {

/// Binds the symbols of flags to the arguments that have them, and notes what holds on entry and
/// how the arguments are found in a call.
void finishCase(mlir::func::FuncOp program, mlir::func::FuncOp host);

/// The host program of a declaration with `graph.cases`, at the end of `module`, which has those of
/// the cases.
mlir::func::FuncOp buildDispatch(mlir::func::FuncOp declaration, mlir::ModuleOp module);

} // namespace nereid::schedule
