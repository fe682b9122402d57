// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the time of a kernel is made of, by the cost model.
#pragma once

#include <algorithm>

namespace nereid::schedule {

/// Microseconds. Memory, caches and arithmetic work side by side: the slowest of them counts.
struct CostTerms {
  double launch = 0;
  double memory = 0;
  /// Of what tiles of products read, each for itself.
  double caches = 0;
  /// Operations of lanes, and products of matrix units.
  double arithmetic = 0;
  /// More where programs are too few to fill the device, or to work while others wait; or so many
  /// that to start them takes longer.
  double programs = 0;
  /// More where most of what programs read or compute has been read or computed by others.
  double again = 0;

  double working() const { return std::max({memory, caches, arithmetic}); }
  double total() const { return launch + working() + programs + again; }
};

} // namespace nereid::schedule
