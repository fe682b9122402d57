// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A rational point that satisfies linear constraints, looked for in floating point and checked
// exactly: of systems that have one, the exact simplex, which takes a hundred times as long, need
// not be asked. Entry point: hasFeasiblePoint.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

namespace nereid::analysis {

/// A sum of multiples of unknowns and a constant, which is 0 or at least 0.
struct LinearRow {
  llvm::SmallVector<std::pair<unsigned, int64_t>, 4> terms; // unknown, coefficient
  int64_t constant = 0;
  bool isEquality = false;
};

/// Whether some rational point satisfies all rows. True is certain; false says nothing: the system
/// may be empty, have no inside, or have numbers that floating point does not tell apart.
bool hasFeasiblePoint(unsigned unknowns, llvm::ArrayRef<LinearRow> rows);

} // namespace nereid::analysis
