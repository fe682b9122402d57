// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "audit/LaunchRules.h"

#include "index/Facts.h"
#include "tile/TileOps.h"
#include "tile/TileTypes.h"

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

/// Whether the wrapper asks for something that may make the number a power of two.
static bool isAskedFor(index::Expr number, const HostLaunch &launch) {
  return any_of(launch.facts, [&](index::Pred fact) {
    bool isLoose = fact.getKind() == index::PredKind::NonNegative;
    bool isMet = false;
    index::forEachSymbol(fact, [&](index::Expr symbol) { isMet |= symbol == number; });
    return isMet && !isLoose;
  });
}

/// Of a tensor whose axes the wrapper counts: features, heads. What blocks and chunks a tensor has
/// along others is mostly a power of two.
static bool isLastAxis(index::Expr size, const HostLaunch &launch) {
  auto [owner, axis] = size.getName().split(".shape[");
  unsigned place = 0;
  return !axis.empty() && !axis.drop_back().getAsInteger(10, place) &&
         !launch.guessedRanks.count(owner.str()) &&
         launch.assumptions.count((owner + " has " + Twine(place + 1) + " axes").str());
}

void findOddTiles(ArrayRef<mlir::func::FuncOp> kernels, const KernelLaunches &launches,
                  RuleSite &site) {
  std::map<std::string, mlir::Operation *> tiles;
  for (mlir::func::FuncOp kernel : kernels)
    kernel.walk([&](tile::RangeOp range) {
      tile::DimsAttr dims = tile::getDims(range.getType());
      if (dims && !dims.getNames()[0].getValue().empty())
        tiles.try_emplace(dims.getNames()[0].getValue().str(), range);
    });
  for (const FoundLaunch &found : launches.launches)
    for (const HostArgument &given : found.launch->arguments) {
      auto tile = tiles.find(given.name);
      if (tile == tiles.end() || !found.isPublic || given.kind != HostArgument::Number ||
          !given.number.isSymbol() || !isLastAxis(given.number, *found.launch) ||
          isAskedFor(given.number, *found.launch))
        continue;
      Finding *finding =
          site.add("TRC014", Certainty::Likely, site.placeOf(tile->second),
                   "a tile has " + given.name + " elements, which is " +
                       given.number.getName().str() + " where '" + found.launch->wrapper +
                       "' launches it, and Triton allows powers of two alone",
                   "take triton.next_power_of_2 of it, and mask the rest");
      if (!finding)
        continue;
      finding->severity = finding->diagnostic.severity = Severity::Warning;
      finding->diagnostic.addNote(found.launch->place, "launched so");
    }
}

void findLargeGrids(const KernelLaunches &launches, RuleSite &site) {
  for (const FoundLaunch &found : launches.launches)
    for (auto [axis, extent] : enumerate(found.launch->grid)) {
      if (axis == 0 || !isRows(extent, *found.launch))
        continue;
      index::Facts facts(extent.getContext());
      for (index::Pred fact : found.launch->facts)
        facts.assume(fact);
      constexpr int64_t most = 65535;
      if (!facts.isTrue(index::le(extent, most)))
        site.add("TRC012", Certainty::Likely, found.launch->place,
                 "the grid has '" + extent.getName().str() + "' programs along axis " +
                     std::to_string(axis) + ", and a GPU takes 65535 there at most",
                 "put the axis that may be long first: it takes 2**31 - 1");
    }
}

} // namespace nereid::audit
