// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What was proved of kernels before. A program launches one kernel many times (each pass of a sort)
// and keeps it from stage to stage; where the launches give it the same knowledge, the verdicts are
// the same, and finding them is the slowest part of a conversion.
#pragma once

#include "analysis/AccessProofs.h"

#include "llvm/ADT/StringMap.h"

namespace nereid::analysis {

class ProofMemory {
public:
  /// proveAccesses(), of a kernel and contract not met before.
  std::vector<AccessVerdict> prove(mlir::func::FuncOp kernel, const LaunchContract &contract);

private:
  struct Remembered {
    AccessVerdict verdict;
    /// The access by its place among those of the kernel: verdict.op is of a kernel that is gone.
    unsigned access;
  };
  /// By the text of kernel and contract.
  llvm::StringMap<std::vector<Remembered>> known;
};

} // namespace nereid::analysis
