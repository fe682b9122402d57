// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "audit/LaunchRules.h"

#include "index/Facts.h"

using namespace llvm;

namespace nereid::audit {

/// `x` of `x.shape[0]`, where x has two axes: its rows, of which there may be millions. The first
/// of several axes is mostly a batch.
static bool isRows(index::Expr extent, const HostLaunch &launch) {
  if (!extent.isSymbol() || !extent.getName().ends_with(".shape[0]"))
    return false;
  std::string tensor = extent.getName().drop_back(StringRef(".shape[0]").size()).str();
  return launch.assumptions.count(tensor + " has 2 axes");
}

void findLargeGrids(const KernelLaunches &launches, RuleSite &site) {
  for (const FoundLaunch &found : launches.launches)
    for (auto [axis, extent] : enumerate(found.launch.grid)) {
      if (axis == 0 || !isRows(extent, found.launch))
        continue;
      index::Facts facts(extent.getContext());
      for (index::Pred fact : found.launch.facts)
        facts.assume(fact);
      constexpr int64_t most = 65535;
      if (!facts.isTrue(index::le(extent, most)))
        site.add("TRC012", Certainty::Likely, found.launch.place,
                 "the grid has '" + extent.getName().str() + "' programs along axis " +
                     std::to_string(axis) + ", and a GPU takes 65535 there at most",
                 "put the axis that may be long first: it takes 2**31 - 1");
    }
}

} // namespace nereid::audit
