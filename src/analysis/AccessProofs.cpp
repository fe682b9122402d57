// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/AccessProofs.h"
#include "analysis/AccessMemory.h"
#include "analysis/NamedSizes.h"
#include "analysis/OneAccess.h"
#include "analysis/ProgramRecovery.h"
#include "analysis/Replay.h"

#include "tile/TileOps.h"

#include <ctime>
#include <map>

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
               Apart apart,
               LaneValues::DataArithmetic dataArithmetic = LaneValues::DataArithmetic::Checked)
      : kernel(kernel), contract(contract), memory(memory), apart(apart),
        lanes(kernel, contract, dataArithmetic), keys(contract) {}

  std::vector<AccessVerdict> run();
  bool hasDataArithmetic() const { return lanes.hasDataArithmetic(); }

private:
  /// An access and how its program is found back. Of stores: with their verdict.
  struct Use {
    size_t verdict;
    std::string program;
    AccessSource source;
    std::optional<Access> access;
    /// Other ways to find it back, once they were needed.
    std::optional<llvm::StringSet<>> keys;
  };
  const ArgumentContract *tensorOf(const Use &store) const;
  bool shareMemory(const Use &a, const Use &b) const;
  const Access &accessOf(Use &store);
  void prove(Operation *op);
  bool isOneTensor(const Use &a, const Use &b) const;
  bool arePartsApart(const Use &a, const Use &b) const;
  bool haveCommonKey(Use &a, Use &b);
  bool keepApart(Use &a, Use &b);
  void compareStores();
  void compareStores(Use &store, Use &other);
  void compareOthers();

  func::FuncOp kernel;
  const LaunchContract &contract;
  AccessMemory *memory;
  Apart apart;
  LaneValues lanes;
  AccessKeys keys;
  KnownWays ways;
  std::vector<AccessVerdict> verdicts;
  std::vector<Use> stores, others;
  /// Where an access was seen outside: copies of it in the turns of an unrolled loop are not
  /// searched again, each of which is a run of the whole kernel.
  llvm::DenseSet<std::pair<Location, unsigned>> outside;
};
} // namespace

const ArgumentContract *KernelProofs::tensorOf(const Use &store) const {
  unsigned argument = store.source.pointer.argument;
  bool isTensor = store.source.pointer.kind == LaneValue::Kind::Pointer &&
                  argument < contract.arguments.size() && contract.arguments[argument].isTensor;
  return isTensor ? &contract.arguments[argument] : nullptr;
}

/// Whether two accesses lead to one memory, perhaps by different arguments.
bool KernelProofs::shareMemory(const Use &a, const Use &b) const {
  if (llvm::any_of(a.source.roots,
                   [&](unsigned root) { return llvm::is_contained(b.source.roots, root); }))
    return true;
  auto memoriesOf = [&](const Use &use) {
    return llvm::map_range(use.source.roots, [&](unsigned root) {
      return root < contract.arguments.size() ? contract.arguments[root].memory : nullptr;
    });
  };
  return llvm::any_of(memoriesOf(a), [&](const void *memory) {
    return memory && llvm::is_contained(memoriesOf(b), memory);
  });
}

/// Whether elements of one number are one element: of one argument, or of two for one tensor.
bool KernelProofs::isOneTensor(const Use &a, const Use &b) const {
  unsigned one = a.source.pointer.argument, two = b.source.pointer.argument;
  if (a.source.roots.size() != 1 || b.source.roots.size() != 1)
    return false;
  if (one == two)
    return true;
  const ArgumentContract *first = tensorOf(a), *second = tensorOf(b);
  ArrayRef<Type> types = func::FuncOp(kernel).getArgumentTypes();
  return first && second && first->isAtStart && second->isAtStart &&
         first->sizes == second->sizes && first->strides == second->strides &&
         types[one] == types[two];
}

/// Whether along an axis of the memory one part ends before the other starts, or their steps never
/// meet.
static bool isApart(const AxisPart &a, const AxisPart &b, const index::Facts &facts) {
  index::Expr behind = b.start - a.start;
  if (a.step == b.step && facts.isTrue(index::ge(a.step, 1)) && behind.getConstant() &&
      a.step.getConstant() && *behind.getConstant() % *a.step.getConstant() != 0)
    return true;
  auto endsBefore = [&](const AxisPart &part, const AxisPart &other) {
    return facts.isTrue(index::gt(other.start, part.start + (part.size - 1) * part.step));
  };
  return endsBefore(a, b) || endsBefore(b, a);
}

/// Whether two stores go to parts of one tensor that have no element in common, and are proved to
/// be inside of these.
bool KernelProofs::arePartsApart(const Use &a, const Use &b) const {
  // What is said of bounds stands before what is said of other programs.
  for (const Use *store : {&a, &b})
    if (verdicts[store->verdict - 1].verdict != Verdict::Proved)
      return false;
  const ArgumentContract *first = tensorOf(a), *second = tensorOf(b);
  if (!first || !second || !first->memory || first->memory != second->memory ||
      !first->isInjective || !second->isInjective || first->parts.size() != second->parts.size())
    return false;
  return llvm::any_of(llvm::zip(first->parts, second->parts), [&](const auto &axis) {
    return isApart(std::get<0>(axis), std::get<1>(axis), contract.facts);
  });
}

const Access &KernelProofs::accessOf(Use &store) {
  if (!store.access)
    store.access = makeAccess(store.source, lanes, contract);
  return *store.access;
}

/// Whether both find their programs back in one way, if not in the first that was found: rows that
/// several stores take in turn.
bool KernelProofs::haveCommonKey(Use &a, Use &b) {
  for (Use *use : {&a, &b})
    if (!use->keys)
      use->keys = allKeys(accessOf(*use), lanes, contract);
  return llvm::any_of(*a.keys, [&](const auto &entry) { return b.keys->contains(entry.first()); });
}

/// Whether different programs never meet, one by the first and one by the second.
bool KernelProofs::keepApart(Use &a, Use &b) {
  bool isOne = isOneTensor(a, b);
  if (isOne && !a.program.empty() && a.program == b.program)
    return true;
  const Access &first = accessOf(a), &second = accessOf(b);
  bool isRead = first.problem.empty() && second.problem.empty();
  return first.isNeverExecuted() || second.isNeverExecuted() ||
         (isOne && isRead &&
          (lieApart(first, second) || (!a.program.empty() && haveCommonKey(a, b)) ||
           areApart(first, second, lanes, contract)));
}

/// Two stores to one tensor must find the program back in the same way, or be apart.
void KernelProofs::compareStores() {
  // Those that find it back in one way meet no other: of the stores of a loop that is unrolled one
  // group, which is not looked at pair by pair.
  std::map<std::pair<unsigned, std::string>, SmallVector<Use *>> groups;
  for (auto [place, store] : llvm::enumerate(stores))
    groups[{store.source.pointer.argument,
            store.program.empty() ? "#" + std::to_string(place) : store.program}]
        .push_back(&store);
  for (auto &[key, group] : groups)
    for (auto &[otherKey, others] : groups)
      if (key != otherKey)
        for (Use *store : group)
          for (Use *other : others)
            compareStores(*store, *other);
}

void KernelProofs::compareStores(Use &store, Use &other) {
  AccessVerdict &verdict = verdicts[store.verdict];
  if (verdict.verdict != Verdict::Proved || !shareMemory(store, other) ||
      arePartsApart(store, other) || keepApart(store, other))
    return;
  verdict.verdict = Verdict::Unknown;
  verdict.reason = isOneTensor(store, other)
                       ? "another store to the same tensor follows another pattern"
                       : "another argument leads to the same memory and is stored to";
}

/// What is read, or changed by an atomic, is nothing that another program stores to.
void KernelProofs::compareOthers() {
  for (Use &use : others) {
    AccessVerdict verdict;
    verdict.op = use.source.op;
    verdict.argument = use.source.pointer.argument;
    verdict.property = Property::Disjoint;
    verdict.verdict = Verdict::Proved;
    bool isStoredTo = false;
    for (Use &store : stores) {
      if (!shareMemory(use, store))
        continue;
      if (!isStoredTo)
        use.program = programOf(accessOf(use), lanes, contract);
      isStoredTo = true;
      if (verdict.verdict != Verdict::Proved || keepApart(use, store))
        continue;
      verdict.verdict = Verdict::Unknown;
      verdict.reason = isOneTensor(use, store)
                           ? "another program may store to what is used here"
                           : "another argument leads to the same memory and is stored to";
      if (!isOneTensor(use, store) || !contract.seeksCounterexamples() || contract.isOpen)
        continue;
      verdict.witness = findMeeting(accessOf(use), accessOf(store), lanes, contract);
      if (verdict.witness && isReproduced(verdict, contract, store.source.op))
        verdict.verdict = Verdict::Counterexample;
      else
        verdict.witness.reset();
    }
    if (verdict.verdict == Verdict::Counterexample)
      verdict.reason = "another program stores to element " +
                       std::to_string(verdict.witness->offset) + " for " + verdict.witness->str();
    if (isStoredTo)
      verdicts.push_back(std::move(verdict));
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
  } else if (outside.contains({op->getLoc(), argument})) {
    AccessVerdict verdict;
    verdict.op = op;
    verdict.argument = argument;
    verdict.property = Property::InBounds;
    verdict.verdict = Verdict::Unknown;
    verdict.reason = "the same access lies outside in another turn";
    verdicts.push_back(std::move(verdict));
  } else {
    access = makeAccess(source, lanes, contract);
    verdicts.push_back(proveBounds(*access, lanes, contract, ways));
    if (verdicts.back().verdict == Verdict::Counterexample)
      outside.insert({op->getLoc(), argument});
    if (verdicts.back().verdict == Verdict::Proved)
      known.insideTier = verdicts.back().tier;
    if (auto way = ways.find(argument); way != ways.end())
      known.way = way->second;
  }
  verdicts.back().spent = Clock::now() - start;
  if (!isa<tile::StoreOp>(op)) {
    if (apart == Apart::All)
      others.push_back({0, "", std::move(source), std::move(access)});
    return;
  }
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
  compareOthers();
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
                                         AccessMemory *memory, Apart apart) {
  auto prove = [&](const LaunchContract &contract) {
    return KernelProofs(kernel, contract, memory, apart).run();
  };
  std::optional<LaunchContract> blocks, sizes, sums;
  if (!contract.isOpen) {
    blocks = withNamedBlocks(contract);
    sizes = withNamedSizes(blocks.value_or(contract));
    sums = withNamedSums(blocks.value_or(contract));
  }
  // First and in short: over sizes that are sums or quotients the search takes long.
  for (const std::optional<LaunchContract> &other : {sizes, sums}) {
    if (!other)
      continue;
    LaunchContract brief = *other;
    brief.isBrief = true;
    std::vector<AccessVerdict> named = prove(brief);
    if (contract.isBrief || llvm::none_of(named, isOpen))
      return named;
  }
  KernelProofs proofs(kernel, contract, memory, apart);
  std::vector<AccessVerdict> verdicts = proofs.run();
  bool isLast = contract.isOpen || contract.isBrief;
  auto anyOpen = [&] { return !isLast && llvm::any_of(verdicts, isOpen); };
  if (anyOpen() && proofs.hasDataArithmetic())
    adoptProofs(
        verdicts,
        KernelProofs(kernel, contract, memory, apart, LaneValues::DataArithmetic::Unknown).run());
  if (!anyOpen())
    return verdicts;
  const LaunchContract &last = blocks ? *blocks : contract;
  auto proveAs = [&](const std::optional<LaunchContract> &other) {
    if (other && anyOpen())
      adoptProofs(verdicts, prove(*other));
  };
  proveAs(sizes);
  proveAs(sums);
  // Over the sizes of each tensor whose accesses are open.
  for (unsigned argument = 0; argument < contract.arguments.size(); ++argument)
    if (llvm::any_of(verdicts, [&](const AccessVerdict &verdict) {
          return isOpen(verdict) && verdict.argument == argument;
        }))
      proveAs(withNamedAxes(last, argument));
  proveAs(blocks);
  return verdicts;
}

} // namespace nereid::analysis
