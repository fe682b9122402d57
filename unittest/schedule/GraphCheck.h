// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Judges what the scheduler makes of a graph program: at every stage and under random partitions
// and forms, its kernels are proved, run by the interpreter in checked mode, and compared with the
// float64 evaluator. One entry point: checkGraph.
#pragma once

#include "RandomGraph.h"

#include "interpreter/Interpreter.h"

namespace nereid::schedule::test {

struct CheckOptions {
  /// Decides the values, the layouts and the random schedules.
  uint64_t seed = 0;
  /// How many random schedules are tried beside the stages.
  unsigned schedules = 2;
  bool prove = true;
};

struct CheckCounts {
  unsigned kernels = 0;
  unsigned runs = 0;
  unsigned proved = 0;
  /// Accesses that could neither be proved nor refuted.
  unsigned unknown = 0;
};

/// Empty when all is right, else what is wrong and under which schedule.
std::string checkGraph(mlir::ModuleOp module, llvm::ArrayRef<Sizes> sizes,
                       const CheckOptions &options, CheckCounts &counts);

/// The same in a process of its own: a crash is an answer too.
std::string checkGraphApart(mlir::ModuleOp module, llvm::ArrayRef<Sizes> sizes,
                            const CheckOptions &options, CheckCounts &counts);

/// A smaller program that fails too, with fewer sizes.
RandomGraph shrinkGraph(mlir::ModuleOp module, llvm::ArrayRef<Sizes> sizes,
                        const CheckOptions &options);

/// The program as text, with its sizes.
std::string print(mlir::ModuleOp module, llvm::ArrayRef<Sizes> sizes);

/// The arguments of a program at some sizes, in memory by random layouts (or all contiguous).
std::vector<interpreter::HostValue> makeArguments(mlir::func::FuncOp program, const Sizes &sizes,
                                                  bool contiguous, Choices &choices);

} // namespace nereid::schedule::test
