// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sizes that are sums, such as N - 1, as variables of their own: products of them are then one
// monomial each, and what is divided by them comes apart into digits. A change of variables:
// whatever holds of the launch so written holds of the launch.
#pragma once

#include "analysis/LaunchContract.h"

namespace nereid::analysis {

/// The launch with blocks that follow from sizes, such as max(4096 // M, 1), under their own names:
/// of these only bounds are known. Nullopt where it has none.
std::optional<LaunchContract> withNamedBlocks(const LaunchContract &contract);

/// The launch with axes of such sizes named `(N - 1)` where fewer have N, and with quotients named
/// `[N // 2]`; nullopt where it has none.
std::optional<LaunchContract> withNamedSizes(const LaunchContract &contract);

/// The launch with all axes of such sizes named that an argument has, and with quotients of sums
/// too, `[(N - K) // 2]`.
std::optional<LaunchContract> withNamedAxes(const LaunchContract &contract, unsigned argument);

/// The launch with all sums named that are given to its kernel, N - 1 as a bound too.
std::optional<LaunchContract> withNamedSums(const LaunchContract &contract);

} // namespace nereid::analysis
