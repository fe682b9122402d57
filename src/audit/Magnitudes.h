// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How large the integers of a kernel get in use, as a power of two: a guess for what no proof
// bounds. A program id goes to 2**17 along the first axis and 2**16 along others, which the launch
// holds to 65535, or as far as the inner axis of a tensor that the launch has programs for; a size
// or a stride of one axis is 2**14, a stride of a tensor of more axes that for each axis below it;
// what is loaded is an index below 2**20; numbers are themselves.
//
//   row = tl.program_id(0)          17
//   row * stride                    17 + 14 = 31: no signed number of 32 bits
//   row * BLOCK                     17 + 10
#pragma once

#include "audit/Wrappers.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace nereid::audit {

class Magnitudes {
public:
  /// What launches say of the arguments is put in.
  Magnitudes(mlir::func::FuncOp kernel, const KernelLaunches &launches);

  double of(mlir::Value value);

private:
  double compute(mlir::Value value);
  double ofArgument(mlir::BlockArgument argument);
  double ofArithmetic(mlir::Operation *op);

  llvm::DenseMap<mlir::Value, double> known;
  llvm::DenseMap<unsigned, double> arguments;
  /// Constants of the kernel that launches make of sizes.
  llvm::StringMap<double> constants;
  double grid[3];
};

} // namespace nereid::audit
