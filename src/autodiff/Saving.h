// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the forward program saves for the backward program: the least bytes at the size hints, by a
// minimum cut between the arguments and the values that the gradients use. Arguments and results
// are there anyway and count once; the result of a fold or scan is written and read; what is
// computed element by element is computed again, but for what gradients compare with an extreme of
// it, and so are sums of products of halves that are more than their factors.
#pragma once

#include "autodiff/Joint.h"

namespace nereid::autodiff {

struct Saved {
  Value value; // of the flat copy
  /// The argument or result of the program that it is; both -1: an inner value.
  int argument = -1;
  int result = -1;
  /// Only the sizes of the argument are needed.
  bool shapeOnly = false;
  /// No tensor at all: a size that a function is given.
  Expr size = {};
};

/// In the order of arguments, then of the program. Nothing after a diagnostic.
mlir::FailureOr<std::vector<Saved>> chooseSaved(Joint &joint);

} // namespace nereid::autodiff
