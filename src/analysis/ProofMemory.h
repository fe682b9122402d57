// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What was proved of kernels before. A program launches one kernel many times (each pass of a
// sort), keeps it from stage to stage, and has kernels that differ only in what they compute; where
// the same decides what is accessed, the verdicts are the same, and finding them is the slowest
// part of a conversion.
#pragma once

#include "analysis/AccessMemory.h"

#include "llvm/ADT/StringMap.h"

namespace nereid::analysis {

/// Of the kernels of one MLIRContext, which outlives it.
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
  struct Verdicts {
    std::vector<Remembered> proved;
    /// Where some are not proved, reasons name what is the kernel's own: by its text.
    llvm::StringMap<std::vector<Remembered>> open;
  };
  /// By proofKeyOf().
  llvm::StringMap<Verdicts> known;
  AccessMemory accessMemory;
};

} // namespace nereid::analysis
