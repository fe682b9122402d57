// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Running one kernel in the interpreter on arrays from .npy files.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <map>
#include <string>
#include <vector>

namespace nereid {

struct KernelRunOptions {
  std::vector<int64_t> grid;
  /// For each argument a .npy file (pointers) or a number.
  std::map<std::string, std::string> arguments;
  /// Where NAME.npy is written for every pointer argument.
  std::string outputFolder;
  bool checked = false;
  uint64_t seed = 0;
};

/// 0: the run is valid; 1: it has findings, which are printed; 2: bad arguments.
int runKernelOnFiles(mlir::func::FuncOp kernel, const KernelRunOptions &options);

} // namespace nereid
