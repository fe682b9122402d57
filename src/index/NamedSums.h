// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums such as 2 * N - 1 written as one symbol, so that a product with them is one term.
#pragma once

#include "index/Expr.h"

namespace nereid::index {

struct NamedSum {
  Expr sum;
  Expr name;
};

/// The sum to be named for a size: 2 * N - 1 of 6 * M * N - 3 * M. Null where there is none, and
/// for N - 1, which is solved for N.
Expr sumToName(Expr size);

/// The sizes that a sum can be solved for: N of N - 1, so that N is `name + 1`. Of what is no sum
/// of sizes, none.
llvm::SmallVector<Expr> solvableSizes(Expr sum);

/// The first of them. Null where there is none.
Expr solvedSize(Expr sum);

/// The expression with sums that are factors of it written by name; equal where each name has the
/// value of its sum.
Expr nameFactors(Expr expr, llvm::ArrayRef<NamedSum> sums);

/// The same of what is no product: 2 * N is written `name + 1` wherever it occurs.
Expr nameMultiples(Expr expr, llvm::ArrayRef<NamedSum> sums);

} // namespace nereid::index
