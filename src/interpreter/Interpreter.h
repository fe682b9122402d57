// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The reference semantics of the host and tile dialects. `runKernel` runs a kernel instance over a
// grid on tensors in memory, `runHost` a host program with all its launches. Tiles are computed as
// whole arrays. Checked mode reports undefined lanes that are used, racing writes and int32
// overflows on address paths; accesses out of bounds are reported in every mode.
#pragma once

#include "interpreter/Finding.h"
#include "interpreter/Memory.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <variant>

namespace nereid::interpreter {

/// A tensor, a float, an integer or a boolean (int64_t 0 or 1).
using HostValue = std::variant<Tensor, double, int64_t>;

struct RunOptions {
  bool checked = false;
  /// Not 0: programs run in an order shuffled by it.
  uint64_t seed = 0;
  /// How many instructions all programs together may execute.
  uint64_t maxSteps = uint64_t(1) << 30;
  unsigned maxFindings = 20;
  /// Where tile.print writes; null for nowhere.
  llvm::raw_ostream *out = nullptr;
};

struct KernelRun {
  /// Not empty: the run is not valid (in an unchecked run: out of bounds, stuck).
  std::vector<Finding> findings;
  /// Instructions executed.
  uint64_t steps = 0;

  bool succeeded() const { return findings.empty(); }
};

/// Runs a kernel whose numbers are those of one configuration (see tile::cloneInstance). Arguments:
/// a Tensor for a pointer (its first element), else a number. The grid has one to three extents.
/// Fails with a diagnostic when the kernel holds something that cannot be interpreted or the
/// arguments do not fit.
mlir::FailureOr<KernelRun> runKernel(mlir::func::FuncOp kernel, llvm::ArrayRef<HostValue> arguments,
                                     llvm::ArrayRef<int64_t> grid, const RunOptions &options = {});

struct HostRun {
  std::vector<HostValue> results;
  std::vector<Finding> findings;
  /// The message of the `host.check` that failed; empty when all held.
  std::string failedCheck;
  unsigned launches = 0;

  bool succeeded() const { return findings.empty() && failedCheck.empty(); }
};

/// Runs a host program. Each launch takes the kernel's first configuration with the launch's
/// meta-parameters. Arguments that the program mutates are written in place.
mlir::FailureOr<HostRun> runHost(mlir::func::FuncOp program, llvm::ArrayRef<HostValue> arguments,
                                 const RunOptions &options = {});

} // namespace nereid::interpreter
