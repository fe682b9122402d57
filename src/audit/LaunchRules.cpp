// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "audit/LaunchRules.h"

#include "index/Facts.h"

using namespace llvm;

namespace nereid::audit {

/// Whether the tensor has several axes, or as many as it likes, and the launch goes over all of its
/// elements: what has one axis has holes only where somebody has cut it out of something.
static bool mayHaveHoles(const HostArgument &tensor, const HostLaunch &launch) {
  if (tensor.sizes.size() != 1)
    return !tensor.sizes.empty();
  index::Expr count = tensor.sizes[0];
  if (!count.isSymbol() || !count.getName().ends_with(".numel()"))
    return false;
  auto isCounted = [&](index::Expr expr) {
    return expr && is_contained(index::collectSymbols(expr), count);
  };
  return any_of(launch.grid, isCounted) ||
         any_of(launch.arguments, [&](const HostArgument &a) { return isCounted(a.number); });
}

/// Whether all of it goes, element by element, to a tensor that is made for it: the order of the
/// elements is the same on both sides.
static bool isElementwise(const HostLaunch &launch, StringRef name) {
  const HostArgument *given = nullptr;
  for (const HostArgument &argument : launch.arguments)
    if (argument.text == name)
      given = &argument;
  return given && given->sizes.size() == 1 && any_of(launch.arguments, [&](const auto &other) {
           return other.kind == HostArgument::Tensor && other.isFresh &&
                  other.sizes == given->sizes;
         });
}

void findAssumedLayouts(const KernelLaunches &launches, RuleSite &site) {
  for (const FoundLaunch &found : launches.launches) {
    if (!found.isPublic || !found.launch.problem.empty())
      continue;
    std::vector<std::string> names;
    for (const HostArgument &argument : found.launch.arguments)
      if (argument.kind == HostArgument::Tensor && mayHaveHoles(argument, found.launch) &&
          found.launch.assumptions.count(argument.text + " is contiguous") &&
          !is_contained(names, argument.text))
        names.push_back(argument.text);
    if (names.empty() || (names.size() == 1 && isElementwise(found.launch, names.front())))
      continue;
    std::string list;
    for (auto [place, name] : enumerate(names))
      list += (place == 0 ? "'" : place + 1 == names.size() ? "' and '" : "', '") + name;
    site.add("TRC011", Certainty::Likely, found.launch.place,
             list + "' " + (names.size() == 1 ? "is" : "are") + " read as if contiguous: " +
                 found.launch.wrapper + " neither passes strides nor asks for that",
             "call .contiguous(), or give the kernel the strides");
  }
}

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
