// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Marks a `where` by a condition of rank 0 that stands for a branch of the program: PyTorch
// computes one of its sides alone, so that what leads to the other one gets no gradient, not one of
// 0, which an infinite derivative would make NaN.
#pragma once

#include "llvm/ADT/StringRef.h"

namespace nereid::graph {

inline constexpr llvm::StringLiteral branchMark = "graph.branch";

} // namespace nereid::graph
