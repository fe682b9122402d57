// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What was proved of kernels before. A program launches one kernel many times (each pass of a
// sort), keeps it from stage to stage, and has kernels that differ only in what they compute; where
// the same decides what is accessed, the verdicts are the same, and finding them is the slowest
// part of a conversion.
#pragma once

#include "analysis/AccessMemory.h"
#include "analysis/KernelLaunches.h"

#include "llvm/ADT/StringMap.h"

namespace nereid::analysis {

/// Of the kernels of one MLIRContext, which outlives it.
class ProofMemory {
public:
  /// proveAccesses(), of a kernel and contract not met before. The verdicts name operations of the
  /// kernel, not of its instance; failure where it has none.
  mlir::FailureOr<std::vector<AccessVerdict>> prove(const LaunchedKernel &launched);
  /// Of all configurations of a launch. What they share is proved once; where it does not suffice,
  /// once for those that agree in a number.
  std::vector<mlir::FailureOr<std::vector<AccessVerdict>>>
  prove(llvm::ArrayRef<LaunchedKernel> launched, ShareLaunches share);

private:
  struct Remembered {
    AccessVerdict verdict;
    /// The access by its place among those of the kernel: verdict.op is of an instance that is
    /// gone.
    unsigned access;
  };
  struct Verdicts {
    std::vector<Remembered> proved;
    /// Where some are not proved, reasons name what is the kernel's own: by its text.
    llvm::StringMap<std::vector<Remembered>> open;
  };
  static std::vector<AccessVerdict> recall(llvm::ArrayRef<Remembered> remembered,
                                           llvm::ArrayRef<mlir::Operation *> accesses);

  /// By proofKeyOf() and the numbers of the configuration.
  llvm::StringMap<Verdicts> known;
  AccessMemory accessMemory;
};

} // namespace nereid::analysis
