// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a caller passes on to the function that chooses among the cases of a program, where their
// results are made there: the containers and the module whose sizes and numbers they read.
//
//   def _f(d_a: torch.Tensor, d):
//       ...
//       return {"y": out, "n": d["a"].shape[0]}
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace nereid::emit {

/// The names of the caller's that results of the program's cases read beside its own parameters, in
/// order; none where the caller makes the results.
llvm::SmallVector<std::string> getCarriedNames(mlir::func::FuncOp program);

} // namespace nereid::emit
