// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What numbers of a launch that are made of sizes are called.
#pragma once

#include "index/Expr.h"

#include <string>

namespace nereid::schedule {

/// `N`, `B_T` for a product, `N_x4`, `M_plus_2`, `cdiv_N_128`; of what is longer than a name the
/// sizes that it is made of: `size_M_N`.
std::string nameOfSize(index::Expr size);

} // namespace nereid::schedule
