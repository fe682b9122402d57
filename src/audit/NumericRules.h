// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rules about numbers: in what type a kernel sums, and what it computes of zeros.
#pragma once

#include "audit/RuleSite.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace nereid::audit {

/// TRN001: sums that loops hold in 16 bits.
void findNarrowSums(mlir::func::FuncOp kernel, RuleSite &site);

/// TRN008: x * log(x), which is no number where x is 0.
void findUndefinedMath(mlir::func::FuncOp kernel, RuleSite &site);

/// TRN002 and TRN004: exponentials that are infinite and divisors that are 0.
void findEndsOfRanges(mlir::func::FuncOp kernel, RuleSite &site);

/// What is wrong where inputs have 16 bits. `halves`: the kernel's instances for them; TRN001 for
/// what they sum in that type. `rejections`: why others do not compile; TRN016 for functions that
/// take no such number.
void applyHalfRules(RuleSite &site, llvm::ArrayRef<mlir::func::FuncOp> halves,
                    llvm::ArrayRef<Diagnostic> rejections);

/// Whether a value is made of what is loaded; of what a loop carries there is no telling.
bool isOfData(mlir::Value value, unsigned depth = 0);
/// Whether the operation chooses by such a value: not by a mask of places alone.
bool isChoiceByData(mlir::Operation *op);

} // namespace nereid::audit
