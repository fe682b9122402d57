// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums as the products that they were: sizes of convolutions, pools and pads are products of sums,
// `(2*M - 1) * (2*N - 1)`, which expressions keep as sums of products.
#pragma once

#include "index/Expr.h"

namespace nereid::index {

/// content * the product of `factors` + rest. Factors are linear in an atom that no other factor
/// has, but for the last, which may be what could not be factored.
struct Factored {
  int64_t content = 1;
  llvm::SmallVector<Expr, 4> factors;
  int64_t rest = 0;
};

/// The factors of an expression, `rest` 0; the expression alone where it is no product.
Factored factor(Expr expr);

/// The same up to a constant: `4*M*N - 2*M - 2*N - 99` is `(2*M - 1) * (2*N - 1) - 100`. `rest` is
/// 0 and the expression alone where no constant makes it a product.
Factored factorUpToConstant(Expr expr);

} // namespace nereid::index
