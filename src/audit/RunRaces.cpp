// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What runs show of programs, and of lanes, that use one element.
#include "audit/RunJudge.h"

#include "tile/Instance.h"
#include "tile/TileOps.h"

using namespace llvm;

namespace nereid::audit {

/// Whether programs in another order leave other numbers.
bool RunRules::hangsOnOrder(LaunchRun &run, unsigned argument) {
  std::vector<std::vector<char>> left;
  for (uint64_t order : {1, 2}) {
    if (!run.run({}, /*checked=*/false, order))
      return false;
    const interpreter::Tensor *tensor = run.getTensor(argument);
    const auto &bytes = tensor->storage->bytes;
    left.emplace_back(reinterpret_cast<const char *>(bytes.data()),
                      reinterpret_cast<const char *>(bytes.data()) + bytes.size());
  }
  return left[0] != left[1];
}

/// TRC006 of stores of which nothing is known: programs that meet at ordinary sizes, and leave what
/// the last one stores.
void RunRules::judgeRaces(LaunchRun &run, const interpreter::KernelRun &result) {
  for (const interpreter::Finding &finding : result.findings) {
    auto known = shared.find(finding.location);
    if (finding.kind != interpreter::FindingKind::Race || known == shared.end())
      continue;
    const analysis::AccessVerdict &verdict = *known->second;
    shared.erase(known);
    if (!hangsOnOrder(run, verdict.argument))
      continue;
    Finding *told =
        site.add("TRC006", Certainty::Witnessed, site.placeOf(verdict.op),
                 "two programs store to element " + std::to_string(finding.element) + " of '" +
                     tile::getArgumentName(kernel, verdict.argument) +
                     "', and what is left hangs on their order, for " + spell(run.getSizes()),
                 "");
    if (told)
      told->diagnostic.addNote(launch.place, "launched so by '" + launch.wrapper +
                                                 "'; runs of the interpreter show it");
  }
}

/// What tells the memory of an argument from others; null where that is not known.
const void *RunRules::memoryOf(unsigned argument) const {
  std::string name = tile::getArgumentName(kernel, argument);
  for (const HostArgument &given : launch.arguments)
    if (given.name == name && given.kind == HostArgument::Tensor)
      return given.memory;
  return nullptr;
}

/// TRC006 of loads of which nothing is known, where what is left hangs on which program comes
/// first. In another order of the programs it is the load that meets what another one has stored.
void RunRules::judgeReadRaces(LaunchRun &run) {
  for (uint64_t order = 0; order < 3 && !beside.empty(); ++order) {
    std::optional<interpreter::KernelRun> result = run.run({}, /*checked=*/true, order);
    for (const interpreter::Finding &finding :
         result ? result->findings : std::vector<interpreter::Finding>()) {
      auto known = beside.find(finding.location);
      if (finding.kind == interpreter::FindingKind::Race && known != beside.end())
        judgeRead(run, finding, *known->second);
    }
  }
}

void RunRules::judgeRead(LaunchRun &run, const interpreter::Finding &finding,
                         const analysis::AccessVerdict &load) {
  const void *memory = memoryOf(load.argument);
  int64_t element = finding.element - run.getTensor(load.argument)->offset;
  bool hangs = any_of(verdicts, [&](const analysis::AccessVerdict &store) {
    return isa<tile::StoreOp>(store.op) && memoryOf(store.argument) == memory &&
           hangsOnOrder(run, store.argument);
  });
  if (!hangs)
    return void(beside.erase(load.op->getLoc()));
  Finding *told =
      site.add("TRC006", Certainty::Witnessed, site.placeOf(load.op),
               "load uses element " + std::to_string(element) + " of '" +
                   tile::getArgumentName(kernel, load.argument) +
                   "', which another program stores to, and what is left hangs on their order, "
                   "for " +
                   spell(run.getSizes()),
               "");
  if (told)
    told->diagnostic.addNote(launch.place, "launched so by '" + launch.wrapper +
                                               "'; runs of the interpreter show it");
  // One is enough for a memory.
  SmallVector<mlir::Location> same;
  for (const auto &[location, other] : beside)
    if (memoryOf(other->argument) == memory)
      same.push_back(location);
  for (mlir::Location location : same)
    beside.erase(location);
}

/// TRC006 of lanes of one store that have one place, and store different numbers there.
void RunRules::judgeLanes(const LaunchRun &run, const interpreter::KernelRun &result) {
  for (const interpreter::Finding &finding : result.findings) {
    auto known = meeting.find(finding.location);
    if (known == meeting.end() || !StringRef(finding.message).contains("two lanes write"))
      continue;
    const analysis::AccessVerdict &verdict = *known->second;
    meeting.erase(known);
    Finding *told = site.add("TRC006", Certainty::Witnessed, site.placeOf(verdict.op),
                             "two lanes of a program store different numbers to element " +
                                 std::to_string(finding.element) + " of '" +
                                 tile::getArgumentName(kernel, verdict.argument) + "', for " +
                                 spell(run.getSizes()),
                             "add them up by a fold, or by tl.atomic_add");
    if (told)
      told->diagnostic.addNote(launch.place, "launched so by '" + launch.wrapper +
                                                 "'; a run of the interpreter shows it");
  }
}

/// Loads beside stores of other programs.
void RunRules::prepareReads(const LaunchRun &run) {
  auto isKnown = [&](unsigned argument) {
    std::string name = tile::getArgumentName(kernel, argument);
    return any_of(launch.arguments, [&](const HostArgument &given) {
      return given.name == name && given.offset && run.isOfKnownShape(given);
    });
  };
  auto isStored = [&](const void *memory) {
    return memory && any_of(accesses, [&](const auto &entry) {
             return memoryOf(entry.first) == memory && isKnown(entry.first) &&
                    all_of(entry.second, [](mlir::Operation *op) {
                      return isa<tile::LoadOp, tile::StoreOp>(op);
                    });
           });
  };
  for (const analysis::AccessVerdict &verdict : verdicts)
    if (found.isPublic && verdict.property == analysis::Property::Disjoint &&
        verdict.verdict == analysis::Verdict::Unknown && isa<tile::LoadOp>(verdict.op) &&
        !hangsOnMemory(verdict.op) && isKnown(verdict.argument) &&
        isStored(memoryOf(verdict.argument)))
      beside[verdict.op->getLoc()] = &verdict;
}

} // namespace nereid::audit
