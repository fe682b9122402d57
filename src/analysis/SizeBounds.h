// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bounds of addresses in sizes alone: digit by digit, each at its least or greatest. An address
// that goes over all of a tensor, in whatever order, is then seen to end with the tensor's last
// element: 16 * (x // (4 * N)) + x % (4 * N) and the like, whose digits no common unit divides.
#pragma once

#include "index/Facts.h"

namespace nereid::analysis {

enum class End : uint8_t { Least, Greatest };

/// What an expression is at least or at most, without programs, lanes and loops; null where no
/// bound is found. It need not be reached.
index::Expr boundInSizes(index::Expr expr, End end, const index::Facts &facts);

} // namespace nereid::analysis
