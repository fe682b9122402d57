// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Prints the gradients of a host program: its torch.autograd.Function around the wrapper that saves
// and the wrapper of the backward kernels.
#pragma once

#include "emit/FileParts.h"
#include "emit/Writer.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace nereid::emit {

/// The program of the gradients; null where there is none.
mlir::func::FuncOp getBackward(mlir::func::FuncOp program);
/// The program that is called where a gradient is wanted: the same, or one that saves besides; null
/// where there is none.
mlir::func::FuncOp getSaving(mlir::func::FuncOp program);
/// The program that saves if it is asked, whose kernels a program has; null where it has its own.
mlir::func::FuncOp getSharedSaving(mlir::func::FuncOp program);
/// Whether callers never see a program: a case of another, or a part of its gradients.
bool isPrivate(mlir::func::FuncOp program);
/// Whether a program writes to an argument: by its kernels, or by an assignment to it or to a part
/// of it.
bool writesTo(mlir::func::FuncOp program, unsigned number);
bool mutates(mlir::func::FuncOp program);

/// The Function class of a program with a backward program, and how to call it.
std::string getGradientClass(mlir::func::FuncOp program, FileParts &parts);
/// The same without `Gradient`: `_Softmax`.
std::string getGradientStem(mlir::func::FuncOp program, FileParts &parts);
std::string getGradientEntry(mlir::func::FuncOp program, FileParts &parts);
/// All of it; both wrappers and their operators stand before.
void printGradient(mlir::func::FuncOp program, FileParts &parts, Writer &writer);

} // namespace nereid::emit
