// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the arguments of a function of alike parts are called.
#pragma once

#include "graph/AlikeParts.h"

namespace nereid::graph {

/// Whether the input at a place is an argument of the program in all parts, of which something
/// holds.
bool areAllArguments(llvm::ArrayRef<Part *> parts, unsigned place,
                     llvm::function_ref<bool(mlir::BlockArgument, mlir::func::FuncOp)> holds);

/// `attn_weight` of `h.0.attn.weight` and `h.1.attn.weight`; `one_minus_momentum` of the numbers
/// `one_minus_a_momentum` and `one_minus_b_momentum`.
std::string nameOfInput(llvm::ArrayRef<Part *> parts, unsigned place);

} // namespace nereid::graph
