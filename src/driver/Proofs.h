// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The proofs of a module's kernels, counted for reports.
#pragma once

#include "mlir/IR/BuiltinOps.h"

#include <string>
#include <vector>

namespace nereid::driver {

struct KernelProof {
  std::string kernel;
  unsigned accesses = 0;
  unsigned proved = 0;
  /// The highest tier of the analysis that a proof took.
  unsigned tier = 0;
  /// What is not proved: the access and the missing assumption or the counterexample.
  std::vector<std::string> open;
};

/// Proves bounds and the absence of write overlap for every kernel under every launch of it.
std::vector<KernelProof> proveKernels(mlir::ModuleOp module);

} // namespace nereid::driver
