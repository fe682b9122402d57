// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "audit/LaunchRules.h"

using namespace llvm;

namespace nereid::audit {

/// Whether the tensor has more axes than one, or as many as it likes: one alone has holes only
/// where somebody has cut it out of something.
static bool mayHaveHoles(const HostArgument &tensor) {
  return tensor.sizes.size() > 1 || (tensor.sizes.size() == 1 && tensor.sizes[0].isSymbol() &&
                                     tensor.sizes[0].getName().ends_with(".numel()"));
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
      if (argument.kind == HostArgument::Tensor && mayHaveHoles(argument) &&
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

} // namespace nereid::audit
