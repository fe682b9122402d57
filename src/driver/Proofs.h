// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The proofs of a module's kernels, counted for reports.
#pragma once

#include "analysis/ProofMemory.h"

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
  /// What there is a counterexample for: such a kernel is not emitted.
  std::vector<std::string> wrong;
};

/// Proves bounds and the absence of write overlap for every kernel under every launch of it. What
/// the memory has met before, at an earlier stage say, is not proved again.
std::vector<KernelProof> proveKernels(mlir::ModuleOp module, analysis::ProofMemory &memory);

} // namespace nereid::driver
