// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// TRC030: what a launch leaves out of the caller's tensor. An axis is as long as the tile, and all
// of it is read; then it is longer, and the rest is not.
#include "audit/RunJudge.h"

#include "tile/Instance.h"
#include "tile/TileOps.h"

using namespace llvm;

namespace nereid::audit {

/// The caller's tensors that nothing but this launch reads, at places that no data decide.
SmallVector<RunRules::Use> RunRules::readWhole(const LaunchRun &run) {
  SmallVector<Use> found;
  for (unsigned position = 0; position < kernel.getNumArguments(); ++position) {
    std::string name = tile::getArgumentName(kernel, position);
    for (const HostArgument &given : launch.arguments) {
      if (given.name != name || !given.isReadAlone || !run.isOfKnownShape(given))
        continue;
      Use use = useOf(given, position);
      if (!use.loads.empty() && use.stores.empty() && use.atomics.empty() &&
          none_of(use.loads, [&](mlir::Operation *op) { return hangsOnMemory(op); }))
        found.push_back(std::move(use));
    }
  }
  return found;
}

/// Whether it is told of the kernel that it leaves out, or mistakes, what it stores to: programs
/// that are missing read nothing either.
bool RunRules::isToldOf() const {
  return any_of(accesses, [&](const auto &entry) {
    return any_of(entry.second, [&](mlir::Operation *op) {
      SourceLocation place = site.placeOf(op);
      return site.find("TRC009", place) || site.find("TRC006", place) || site.find("TRC001", place);
    });
  });
}

namespace {
/// What of a tensor a run has read.
struct Coverage {
  int64_t unread = 0;
  /// From where on nothing is read along the axis, and whether all before is.
  int64_t from = 0;
  bool isTail = false;
};
} // namespace

static Coverage coverageOf(const interpreter::Tensor &tensor, unsigned axis) {
  Coverage result;
  int64_t inner = 1, extent = tensor.sizes[axis], count = tensor.getNumElements();
  for (size_t other = axis + 1; other < tensor.sizes.size(); ++other)
    inner *= tensor.sizes[other];
  result.from = extent;
  auto isRead = [&](int64_t at) {
    return tensor.storage->read[tensor.at(at) - tensor.storage->bytes.data()] != 0;
  };
  for (int64_t at = 0; at < count; ++at)
    if (!isRead(at)) {
      ++result.unread;
      result.from = std::min(result.from, at / inner % extent);
    }
  result.isTail = result.from > 0 && result.unread == count / extent * (extent - result.from);
  return result;
}

static bool isOutside(const interpreter::KernelRun &run) {
  return any_of(run.findings, [](const interpreter::Finding &finding) {
    return finding.kind == interpreter::FindingKind::OutOfBounds ||
           finding.kind == interpreter::FindingKind::Stuck ||
           finding.kind == interpreter::FindingKind::Invalid;
  });
}

void RunRules::findUnread(LaunchRun &run) {
  constexpr int64_t longest = 8192, behind = 76, rows = 3;
  int64_t tile = run.longestTile();
  SmallVector<Use> inputs = found.isPublic ? readWhole(run) : SmallVector<Use>();
  if (inputs.empty() || isToldOf() || tile < 2 || tile > longest || run.getOwners().size() != 1)
    return;
  run.notesReads = true;
  for (unsigned back : {0, 1}) {
    // Other axes are short, and a power of two where a tile may have to hold them.
    std::array<int64_t, 3> extents = {16, rows, 2};
    SmallVector<bool> isWhole(inputs.size(), false);
    for (int64_t length : {tile, tile + behind}) {
      extents[back] = length;
      if (!run.choose(extents, length) || run.hangsOnFreeNumbers())
        break;
      std::optional<interpreter::KernelRun> result = run.run({});
      if (!result || isOutside(*result))
        break;
      for (auto [place, use] : enumerate(inputs)) {
        const interpreter::Tensor *tensor = run.getTensor(use.argument);
        size_t rank = tensor->sizes.size();
        if (rank <= back || tensor->sizes[rank - 1 - back] != length)
          continue;
        Coverage coverage = coverageOf(*tensor, rank - 1 - back);
        if (length == tile) {
          isWhole[place] = coverage.unread == 0;
          continue;
        }
        if (!isWhole[place] || coverage.unread == 0 || !coverage.isTail)
          continue;
        Finding *told = site.add(
            "TRC030", Certainty::Witnessed, site.placeOf(use.loads.front()),
            "of '" + use.given->name + "' nothing behind the first " +
                std::to_string(coverage.from) + " elements of axis " +
                std::to_string(rank - 1 - back) + " is read, for " + spell(run.getSizes()),
            "go over the axis by a loop whose last turn is masked, or take a block that holds it");
        if (told)
          told->diagnostic.addNote(launch.place, "launched so by '" + launch.wrapper +
                                                     "'; a run of the interpreter shows it");
      }
    }
  }
  run.notesReads = false;
}

} // namespace nereid::audit
