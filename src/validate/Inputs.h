// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The arguments of one case: numbers by pattern, in tensors that lie in memory by layout. The same
// case has the same numbers on every machine.
#pragma once

#include "graph/GraphArray.h"
#include "interpreter/Interpreter.h"
#include "validate/Matrix.h"
#include "validate/SizeChoice.h"

#include <optional>

namespace nereid::validate {

/// A source of numbers that does not depend on the standard library.
class Numbers {
public:
  explicit Numbers(uint64_t seed) : state(seed * 0x9E3779B97F4A7C15u + 1) {}
  uint64_t next();
  /// In [0, 1).
  double uniform();
  /// In [low, high).
  int64_t integer(int64_t low, int64_t high);

private:
  uint64_t state;
};

/// One value for each argument of the program. Patterns and layouts apply to inputs; parameters and
/// buffers are contiguous and lie around one; runtime scalars are small numbers.
std::vector<interpreter::HostValue> makeArguments(mlir::func::FuncOp program, const Case &one,
                                                  const SizeChoice &choice);

/// The arguments of the backward program of `forward`: gradients of its results, and what it saves
/// of a run on its own arguments. Nothing, with a reason, when the oracle cannot run it.
std::optional<std::vector<interpreter::HostValue>>
makeBackwardArguments(mlir::func::FuncOp backward, mlir::func::FuncOp forward, const Case &one,
                      const SizeChoice &choice, std::string &reason);

/// The same numbers for the evaluator.
graph::Array toArray(const interpreter::HostValue &value, graph::TensorType type);

/// The same numbers in memory, row-major.
interpreter::Tensor toTensor(const graph::Array &array, llvm::StringRef name);

/// The same arrays, where inexact numbers of float64 are moved by at most a unit in the last place:
/// what becomes of that says how exact a result can be that is computed in the oracle's own type.
std::vector<graph::Array> disturb(std::vector<graph::Array> arrays, uint64_t sample);

/// A copy with its own memory, in the same layout.
interpreter::HostValue cloneValue(const interpreter::HostValue &value);

/// The same numbers as a tensor in this layout.
interpreter::Tensor layOut(const interpreter::Tensor &contiguous, Layout layout);

} // namespace nereid::validate
