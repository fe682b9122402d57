// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers that a kernel loads and goes on with: TRC020, a place that is used although the kernel
// knows of numbers that are none (`label == ignore_index`); TRC006 of counts that are loaded and
// stored again; TRC028, random numbers that are the same in all programs or turns; TRC007, what
// other threads of a program have stored.
#pragma once

#include "audit/RuleSite.h"
#include "audit/Wrappers.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace nereid::audit {

/// Whether a value is what stands for no place: a number below 0, or an argument named so.
bool isMark(mlir::Value value);

void findLateGuards(mlir::func::FuncOp kernel, RuleSite &site);
void findLostCounts(mlir::func::FuncOp kernel, const KernelLaunches &launches, RuleSite &site);
void findSameRandoms(mlir::func::FuncOp kernel, const KernelLaunches &launches, RuleSite &site);
void findMissingBarriers(mlir::func::FuncOp kernel, RuleSite &site);

} // namespace nereid::audit
