// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compares a result with the oracle under the bound that the project promises: an error of at most
// four times that of working precision (what PyTorch itself could give) or two units in the last
// place of the result's element type, NaN and infinities at the same places.
#pragma once

#include "graph/GraphArray.h"

#include <string>

namespace nereid::validate {

struct Comparison {
  /// How many elements break the bound, and the one that breaks it most or comes nearest to it.
  int64_t wrong = 0;
  int64_t worstAt = -1;
  double got = 0;
  double wanted = 0;
  double error = 0;
  double allowed = 0;
  /// The distance of neighbouring numbers at what is wanted; 0 for integers.
  double unit = 0;
  /// error / allowed; infinite where a NaN or infinity is out of place.
  double ratio = 0;
  /// How many elements are right only because rounding decides there.
  int64_t undecided = 0;
  /// Not empty: sizes or element types differ.
  std::string mismatch;

  bool succeeded() const { return wrong == 0 && mismatch.empty(); }
};

/// `exact` is the oracle's, `working` are samples of working precision, whose greatest error
/// counts. Where rounding decides between values that lie far apart (a tie, a comparison), an
/// element may instead be that of any of the samples in `deciding`.
Comparison compare(const graph::Array &got, const graph::Array &exact,
                   llvm::ArrayRef<const graph::Array *> working,
                   llvm::ArrayRef<const graph::Array *> deciding = {});

/// The distance of two neighbouring numbers of a type around a value.
double unitInLastPlace(double value, mlir::Type type);

} // namespace nereid::validate
