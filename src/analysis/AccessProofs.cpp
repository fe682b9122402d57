// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/AccessProofs.h"
#include "analysis/AccessMemory.h"
#include "analysis/NamedSizes.h"
#include "analysis/OneAccess.h"
#include "analysis/ProgramRecovery.h"

#include "tile/TileOps.h"

#include <ctime>

using namespace mlir;

namespace nereid::analysis {

std::string Witness::str() const {
  std::string text;
  for (auto &[name, value] : values)
    text += (text.empty() ? "" : ", ") + name + " = " + std::to_string(value);
  return text;
}

namespace {
/// The time that this thread had a processor: the machine may be busy with other things.
struct ProcessorClock {
  using duration = std::chrono::nanoseconds;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<ProcessorClock>;
  static time_point now() {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return time_point(std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec));
  }
};
} // namespace

namespace {
/// The proofs about one kernel under one launch.
class KernelProofs {
public:
  KernelProofs(func::FuncOp kernel, const LaunchContract &contract, AccessMemory *memory,
               LaneValues::DataArithmetic dataArithmetic = LaneValues::DataArithmetic::Checked)
      : kernel(kernel), contract(contract), memory(memory), lanes(kernel, contract, dataArithmetic),
        keys(contract) {}

  std::vector<AccessVerdict> run();
  bool hasDataArithmetic() const { return lanes.hasDataArithmetic(); }

private:
  /// A store and how its program is found back.
  struct Store {
    size_t verdict;
    std::string program;
    AccessSource source;
    std::optional<Access> access;
  };
  const ArgumentContract *tensorOf(const Store &store) const;
  bool shareMemory(const Store &a, const Store &b) const;
  const Access &accessOf(Store &store);
  void prove(Operation *op);
  void compareStores();

  func::FuncOp kernel;
  const LaunchContract &contract;
  AccessMemory *memory;
  LaneValues lanes;
  AccessKeys keys;
  KnownWays ways;
  std::vector<AccessVerdict> verdicts;
  std::vector<Store> stores;
};
} // namespace

const ArgumentContract *KernelProofs::tensorOf(const Store &store) const {
  unsigned argument = store.source.pointer.argument;
  bool isTensor = store.source.pointer.kind == LaneValue::Kind::Pointer &&
                  argument < contract.arguments.size() && contract.arguments[argument].isTensor;
  return isTensor ? &contract.arguments[argument] : nullptr;
}

/// Whether two stores lead to one memory, perhaps by different arguments.
bool KernelProofs::shareMemory(const Store &a, const Store &b) const {
  if (verdicts[a.verdict].argument == verdicts[b.verdict].argument)
    return true;
  const ArgumentContract *first = tensorOf(a), *second = tensorOf(b);
  return first && second && first->memory && first->memory == second->memory;
}

const Access &KernelProofs::accessOf(Store &store) {
  if (!store.access)
    store.access = makeAccess(store.source, lanes, contract);
  return *store.access;
}

/// Two stores to one tensor must find the program back in the same way, or be apart.
void KernelProofs::compareStores() {
  for (Store &store : stores)
    for (Store &other : stores) {
      AccessVerdict &verdict = verdicts[store.verdict];
      if (&store == &other || verdict.verdict != Verdict::Proved || !shareMemory(store, other))
        continue;
      bool isSameArgument = verdict.argument == verdicts[other.verdict].argument;
      bool isSameWay = !store.program.empty() && store.program == other.program;
      if (isSameArgument && isSameWay)
        continue;
      const Access &first = accessOf(store), &second = accessOf(other);
      if (first.isNeverExecuted() || second.isNeverExecuted() ||
          (isSameArgument && (lieApart(first, second) || areApart(first, second, lanes, contract))))
        continue;
      verdict.verdict = Verdict::Unknown;
      verdict.reason = isSameArgument
                           ? "another store to the same tensor follows another pattern"
                           : "another argument leads to the same memory and is stored to";
    }
}

void KernelProofs::prove(Operation *op) {
  using Clock = ProcessorClock;
  Clock::time_point start = Clock::now();
  AccessSource source = readAccess(op, lanes);
  std::optional<std::string> key = memory ? keys.of(source, lanes) : std::nullopt;
  AccessMemory::Known unremembered, &known = key ? (*memory)[*key] : unremembered;
  std::optional<Access> access;
  unsigned argument = source.pointer.argument;
  auto provedBefore = [&](Property property, unsigned tier) {
    AccessVerdict verdict;
    verdict.op = op;
    verdict.argument = argument;
    verdict.property = property;
    verdict.verdict = Verdict::Proved;
    verdict.tier = tier;
    return verdict;
  };
  if (known.insideTier) {
    verdicts.push_back(provedBefore(Property::InBounds, *known.insideTier));
    if (known.way)
      ways[argument] = *known.way;
  } else {
    access = makeAccess(source, lanes, contract);
    verdicts.push_back(proveBounds(*access, lanes, contract, ways));
    if (verdicts.back().verdict == Verdict::Proved)
      known.insideTier = verdicts.back().tier;
    if (auto way = ways.find(argument); way != ways.end())
      known.way = way->second;
  }
  verdicts.back().spent = Clock::now() - start;
  if (!isa<tile::StoreOp>(op))
    return;
  start = Clock::now();
  if (known.apartTier) {
    verdicts.push_back(provedBefore(Property::Disjoint, *known.apartTier));
  } else {
    if (!access)
      access = makeAccess(source, lanes, contract);
    known.program.clear();
    verdicts.push_back(proveDisjoint(*access, lanes, contract, known.program));
    if (verdicts.back().verdict == Verdict::Proved)
      known.apartTier = verdicts.back().tier;
  }
  verdicts.back().spent = Clock::now() - start;
  stores.push_back({verdicts.size() - 1, known.program, std::move(source), std::move(access)});
}

static bool isOpen(const AccessVerdict &verdict) { return verdict.verdict == Verdict::Unknown; }

std::vector<AccessVerdict> KernelProofs::run() {
  kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (memoryOperandsOf(op).pointer)
      prove(op);
    bool isInVain = contract.isBrief && !verdicts.empty() && isOpen(verdicts.back());
    return isInVain ? WalkResult::interrupt() : WalkResult::advance();
  });
  compareStores();
  return std::move(verdicts);
}

/// Proofs of one that are open in the other.
static void adoptProofs(std::vector<AccessVerdict> &verdicts,
                        const std::vector<AccessVerdict> &others) {
  for (auto [verdict, other] : llvm::zip(verdicts, others)) {
    auto spent = verdict.spent + other.spent;
    if (isOpen(verdict) && other.verdict == Verdict::Proved)
      verdict = other;
    verdict.spent = spent;
  }
}

std::vector<AccessVerdict> proveAccesses(func::FuncOp kernel, const LaunchContract &contract,
                                         AccessMemory *memory) {
  auto prove = [&](const LaunchContract &contract) {
    return KernelProofs(kernel, contract, memory).run();
  };
  std::optional<LaunchContract> blocks, sizes;
  if (!contract.isOpen) {
    blocks = withNamedBlocks(contract);
    sizes = withNamedSizes(blocks.value_or(contract));
  }
  // First and in short: over sizes that are sums or quotients the search takes long.
  if (sizes) {
    LaunchContract brief = *sizes;
    brief.isBrief = true;
    std::vector<AccessVerdict> named = prove(brief);
    if (contract.isBrief || llvm::none_of(named, isOpen))
      return named;
  }
  KernelProofs proofs(kernel, contract, memory);
  std::vector<AccessVerdict> verdicts = proofs.run();
  bool isLast = contract.isOpen || contract.isBrief;
  auto anyOpen = [&] { return !isLast && llvm::any_of(verdicts, isOpen); };
  if (anyOpen() && proofs.hasDataArithmetic())
    adoptProofs(verdicts,
                KernelProofs(kernel, contract, memory, LaneValues::DataArithmetic::Unknown).run());
  if (!anyOpen())
    return verdicts;
  for (const std::optional<LaunchContract> &other :
       {sizes, withNamedSums(blocks.value_or(contract)), blocks})
    if (other && anyOpen())
      adoptProofs(verdicts, prove(*other));
  return verdicts;
}

} // namespace nereid::analysis
