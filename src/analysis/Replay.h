// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs a kernel in the interpreter at the launch of a counterexample. A counterexample is shown
// only when that run reports the fault at the same operation, so a mistake of the analysis can cost
// a verdict but never blames a right kernel.
#pragma once

#include "analysis/AccessProofs.h"

namespace nereid::interpreter {
struct Tensor;
}

namespace nereid::analysis {

/// Whether the launch of the verdict's witness shows the fault: the operation touches an element
/// outside its tensor, or two programs store to one; with a store, the operation uses the element
/// that another program stores to there. False too for launches that are too large.
bool isReproduced(const AccessVerdict &verdict, const LaunchContract &contract,
                  mlir::Operation *store = nullptr);

/// Whether two programs that store to one element, as the verdict says, store different numbers
/// there: whether the tensor's elements hang on the order of programs. True where that was not
/// seen.
bool hangsOnOrder(const AccessVerdict &verdict, const LaunchContract &contract);

/// How large a launch may be that is run to see what it does.
struct RunLimits {
  /// Elements of all tiles of a program, its steps, and these times the lanes of its largest tile.
  int64_t elements;
  uint64_t steps, laneSteps;
};

/// The steps that programs of a kernel may take; nothing where its tiles are too large.
std::optional<uint64_t> stepsWithin(mlir::func::FuncOp kernel, const RunLimits &limits);

/// Gives each element of the argument at this position another number; whole ones are 0 and 1, as
/// masks and indices are.
void fillWithNumbers(interpreter::Tensor &tensor, size_t position);

} // namespace nereid::analysis
