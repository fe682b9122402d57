// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reverse mode on graph programs: from a program to two, forward and backward. The one entry point
// of this room.
//
// The forward program keeps its results and returns what is saved besides; it gets
//   graph.backward = @f_backward                the other program
//   graph.saved = [{argument = 0}, {result = 1}, {argument = 2, shape}]
//                                               what the backward program takes, in order
// and `graph.saved` on each result that exists only to be saved. The backward program takes the
// gradients of the floating-point results and then what is saved; it gets
//   graph.gradient_of = @f
//   graph.cotangent = 0 : i64                   on an argument: the result whose gradient it is
//   graph.saved = 0 : i64                       on an argument: its place in the list above
//   graph.shape_only                            on such an argument: only its sizes are read
//   graph.gradient = 0 : i64                    on a result: the argument whose gradient it is
//   graph.zero                                  on such a result: zero by structure
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

#include <string>
#include <vector>

namespace nereid::autodiff {

struct GradientOptions {
  /// The arguments that need a gradient, by `graph.name` or `graph.parameter`. Empty: all
  /// floating-point tensors and parameters, but not buffers and scalars.
  std::vector<std::string> wanted;
};

/// Adds the backward program after `program`, and to `program` what it saves. Fails after
/// diagnostics, leaving the program as it was.
mlir::LogicalResult addBackward(mlir::func::FuncOp program, const GradientOptions &options = {});

/// The same for every program of a module.
mlir::LogicalResult addBackwards(mlir::ModuleOp module, const GradientOptions &options = {});

/// A line for each primitive without a gradient: its name and the reason.
std::string listWithoutGradient();

} // namespace nereid::autodiff
