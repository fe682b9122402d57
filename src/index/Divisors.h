// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which numbers divide a size evenly, by the conditions that hold.
#pragma once

#include "index/Pred.h"

namespace nereid::index {

/// A size that is a multiple of a number.
struct Multiple {
  Expr size;
  int64_t divisor;
};

/// What a condition says of a symbol: `N % 2 == 0`, and where 2 is known to divide N, by
/// `divisorOf` (1 where nothing is known), `(N // 2) % 3 == 0` too: 6 does.
std::optional<Multiple> readMultiple(Pred pred, llvm::function_ref<int64_t(Expr)> divisorOf);

} // namespace nereid::index
