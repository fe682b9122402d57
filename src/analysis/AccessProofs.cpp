// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/AccessProofs.h"
#include "analysis/Inference.h"
#include "analysis/NamedSizes.h"
#include "analysis/ProgramRecovery.h"
#include "analysis/Replay.h"

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

/// Without elements there is no last one to compare with.
static bool hasElements(const Access &access) {
  return llvm::all_of(access.tensor->sizes,
                      [&](index::Expr size) { return access.facts.isTrue(index::ge(size, 1)); });
}

/// Ranges alone.
static bool isInsideByRange(const Access &access) {
  index::Range range = access.facts.range(access.offset);
  index::Range last = access.facts.range(access.lastOffset());
  return range.lo && *range.lo >= 0 && range.hi && last.lo && *range.hi <= *last.lo;
}

namespace {
/// How an access was proved to stay inside: the other accesses of a tensor, shifted by a little,
/// mostly are so too.
struct KnownWay {
  ReadingWay reading;
  bool isOverDigits = false;
};
using KnownWays = llvm::DenseMap<unsigned, KnownWay>;
} // namespace

/// Index by index under one of the readings, or the whole offset at once. Keeps the way of the
/// reading.
static bool isInsideAsRead(const Access &access, bool hasElements, Effort effort,
                           std::string &missing, std::optional<ReadingWay> &way) {
  auto accept = [&](const Reading &reading) {
    if (!isInside(reading, access, effort, missing))
      return false;
    way = reading.way;
    return true;
  };
  return anyReading(access, accept) ||
         (hasElements && access.knows(index::ge(access.offset, 0), effort) &&
          access.knows(index::le(access.offset, access.lastOffset()), effort));
}

/// Sizes that are sums, such as M - 1 or B * (M - 1), as variables of their own: M is one more
/// then, and an index along an outer axis times such a size is one product.
static llvm::DenseMap<index::Expr, index::Expr> nameSizes(llvm::ArrayRef<index::Expr> sizes) {
  llvm::DenseMap<index::Expr, index::Expr> replacements;
  for (index::Expr whole : sizes) {
    index::Expr size = takeOutFactors(whole).second;
    if (size.getKind() != index::ExprKind::Sum)
      continue;
    for (index::Term term : size.getTerms()) {
      index::Expr rest = size - term.monomial * term.coefficient;
      bool isSolved = term.coefficient == 1 && term.monomial.isSymbol() &&
                      !index::contains(rest, term.monomial) && replacements.empty();
      if (isSolved)
        replacements[term.monomial] = size.getContext().symbol("(" + size.str() + ")") - rest;
    }
  }
  return replacements;
}

static void rewriteShape(ArgumentContract &tensor,
                         llvm::function_ref<index::Expr(index::Expr)> rewritten) {
  for (llvm::SmallVectorImpl<index::Expr> *exprs : {&tensor.sizes, &tensor.strides})
    for (index::Expr &expr : *exprs)
      expr = rewritten(expr);
}

/// Whether a test accepts the access over the digits of what is divided.
static bool holdsOverDigits(const Access &access, llvm::function_ref<bool(const Access &)> test) {
  const index::MixedRadix &digits = access.digits();
  if (!digits.hasDigits())
    return false;
  ArgumentContract tensor = *access.tensor;
  rewriteShape(tensor, [&](index::Expr expr) { return digits.rewrite(expr); });
  Access changed(digits.getFacts());
  changed.corners = &digits;
  changed.tensor = &tensor;
  changed.offset = digits.rewrite(access.offset);
  return test(changed);
}

/// The same over digits, then over named sizes too.
static bool isInsideInDigits(const Access &access, bool hasElements, std::string &missing,
                             std::optional<ReadingWay> &way) {
  auto isInside = [&](const Access &changed) {
    return isInsideAsRead(changed, hasElements, Effort::Simplified, missing, way);
  };
  if (holdsOverDigits(access, isInside))
    return true;
  const index::MixedRadix &digits = access.digits();
  ArgumentContract tensor = *access.tensor;
  rewriteShape(tensor, [&](index::Expr expr) { return digits.rewrite(expr); });
  llvm::DenseMap<index::Expr, index::Expr> names = nameSizes(tensor.sizes);
  if (names.empty())
    return false;
  rewriteShape(tensor, [&](index::Expr expr) { return index::substitute(expr, names); });
  index::Facts facts = digits.getFacts().substituted(names);
  for (index::Expr size : tensor.sizes)
    facts.assume(index::ge(size, hasElements ? 1 : 0));
  Access changed(facts);
  changed.tensor = &tensor;
  changed.offset = index::substitute(digits.rewrite(access.offset), names);
  std::optional<ReadingWay> unused;
  return isInsideAsRead(changed, hasElements, Effort::Simplified, missing, unused);
}

/// Whether the access stays inside in the way in which an earlier one did.
static bool isInsideByWay(const Access &access, const KnownWay &known) {
  auto isInside = [&](const Access &seen) {
    std::optional<Reading> reading = readBy(seen, known.reading);
    std::string missing;
    Effort effort = known.isOverDigits ? Effort::Simplified : Effort::Short;
    return reading && analysis::isInside(*reading, seen, effort, missing);
  };
  return known.isOverDigits ? holdsOverDigits(access, isInside) : isInside(access);
}

/// Whether the access stays inside without linear programming; the ways that led to it are tried
/// first.
static bool isInsideShortly(const Access &access, bool hasElements, std::string &missing,
                            KnownWays &ways) {
  if (auto known = ways.find(access.argument);
      known != ways.end() && isInsideByWay(access, known->second))
    return true;
  std::optional<ReadingWay> way;
  bool isOverDigits = false;
  auto overDigits = [&] {
    isOverDigits = isInsideInDigits(access, hasElements, missing, way);
    return isOverDigits;
  };
  bool isProved = isInsideAsRead(access, hasElements, Effort::Short, missing, way) ||
                  overDigits() ||
                  isInsideAsRead(access, hasElements, Effort::Simplified, missing, way);
  if (isProved && way)
    ways[access.argument] = {*way, isOverDigits};
  return isProved;
}

/// What kept the exact test from an answer.
static std::string obstacleOf(const Access &access, const LaneValues &lanes) {
  if (llvm::any_of(index::collectSymbols(access.offset),
                   [&](index::Expr symbol) { return lanes.isOpaque(symbol); }))
    return "";
  for (const auto &[bound, answer] : access.exactAnswers) {
    if (answer.kind == IntegerAnswer::Kind::Holds)
      continue;
    if (answer.notAffine)
      return ": '" + show(answer.notAffine) + "' is not affine";
    if (answer.kind == IntegerAnswer::Kind::TooLarge)
      return ": '" + show(bound) + "' is too large for the exact test";
  }
  return "";
}

/// `'a', 'b' and 'c'`.
static std::string listed(llvm::ArrayRef<index::Pred> preds) {
  std::string text;
  for (auto [position, pred] : llvm::enumerate(preds)) {
    if (position > 0)
      text += position + 1 == preds.size() ? " and " : ", ";
    text += "'" + show(pred) + "'";
  }
  return text;
}

/// What a launch must give for the access to stay inside a tensor of `numel(x)` elements: as a
/// bound by the kernel's arguments where the mask says one.
static std::string assumptionsOf(const Access &access, const LaunchContract &contract) {
  llvm::SmallVector<index::Pred> needed(access.assumed);
  index::Expr count = access.tensor->sizes.front();
  if (index::Pred low = index::ge(access.offset, 0); !access.knows(low, Effort::Linear))
    needed.push_back(low);
  index::Pred high = index::lt(access.offset, count);
  llvm::SmallVector<index::Expr> values;
  for (const ArgumentContract &argument : contract.arguments)
    if (argument.value)
      values.push_back(argument.value);
  for (size_t i = 0, given = values.size(); i < given; ++i)
    for (size_t j = i + 1; j < given; ++j)
      values.push_back(values[i] * values[j]);
  for (index::Expr value : values)
    if (access.knows(index::lt(access.offset, value), Effort::Linear)) {
      high = index::le(value, count);
      break;
    }
  if (!access.knows(high, Effort::Linear))
    needed.push_back(high);
  return needed.empty() ? "" : "the launch is not known; holds where " + listed(needed);
}

static AccessVerdict proveBounds(const Access &access, const LaneValues &lanes,
                                 const LaunchContract &contract, KnownWays &ways) {
  AccessVerdict verdict;
  verdict.op = access.op;
  verdict.argument = access.argument;
  auto proved = [&](unsigned tier) {
    verdict.verdict = Verdict::Proved;
    verdict.tier = access.isReadLinearly ? 2 : tier;
    return verdict;
  };
  auto refute = [&](std::optional<Witness> witness) {
    if (contract.isOpen)
      return false;
    verdict.witness = std::move(witness);
    if (!verdict.witness || !isReproduced(verdict, contract)) {
      verdict.witness.reset();
      return false;
    }
    verdict.verdict = Verdict::Counterexample;
    verdict.reason = "element " + std::to_string(verdict.witness->offset) +
                     " lies outside the tensor for " + verdict.witness->str();
    return true;
  };
  if (access.isNeverExecuted())
    return proved(0);
  if (access.problem.empty() && contract.isOpen) {
    verdict.reason = assumptionsOf(access, contract);
    return verdict.reason.empty() ? proved(1) : verdict;
  }
  if (access.problem.empty()) {
    bool some = hasElements(access);
    if (some && isInsideByRange(access))
      return proved(0);
    std::string missing;
    std::optional<ReadingWay> way;
    if (isInsideShortly(access, some, missing, ways))
      return proved(1);
    if (isInsideAsRead(access, some, Effort::Linear, missing, way))
      return proved(2);
    if (refute(findOutside(access, lanes, contract)))
      return verdict;
    if (isInsideAsRead(access, some, Effort::Exact, missing, way))
      return proved(2);
    for (const auto &[bound, answer] : access.exactAnswers)
      if (answer.kind == IntegerAnswer::Kind::Fails &&
          refute(witnessAt(answer.point, access, lanes, contract)))
        return verdict;
    verdict.reason = missing.empty() ? "'" + show(index::le(access.offset, access.lastOffset())) +
                                           "' is not known"
                                     : missing + obstacleOf(access, lanes);
    for (index::Expr symbol : index::collectSymbols(access.offset))
      if (lanes.isOpaque(symbol))
        verdict.reason += "; " + show(symbol) + " is " + lanes.originOf(symbol);
  } else {
    verdict.reason = access.problem;
  }
  if (!access.problem.empty() && access.tensor)
    refute(findOutside(access, lanes, contract));
  return verdict;
}

namespace {
/// A store and how its program is found back.
struct StoreProof {
  size_t verdict;
  std::string key;
  Access access;
};
} // namespace

/// Whether programs keep apart at this store; `key` says how its program is found back.
static AccessVerdict decideDisjoint(const Access &access, const LaneValues &lanes,
                                    const LaunchContract &contract, std::string &key) {
  AccessVerdict verdict;
  if (access.isNeverExecuted()) {
    verdict.verdict = Verdict::Proved;
    return verdict;
  }
  verdict.reason = access.problem;
  auto tells = [&](Effort effort, unsigned tier) {
    verdict.reason = "the store is not known to stay inside its tensor";
    if (!tellsProgram(access, lanes, contract, effort, key, verdict.reason))
      return false;
    verdict.verdict = Verdict::Proved;
    verdict.tier = access.isReadLinearly ? 2 : tier;
    return true;
  };
  if (access.problem.empty() && (tells(Effort::Short, 1) || tells(Effort::Simplified, 1) ||
                                 tells(Effort::Digits, 1) || tells(Effort::Linear, 2)))
    return verdict;
  if (access.tensor && !contract.isOpen)
    verdict.witness = findOverlap(access, lanes, contract);
  if (!verdict.witness && areApart(access, access, lanes, contract)) {
    verdict.verdict = Verdict::Proved;
    verdict.tier = 2;
  }
  return verdict;
}

static AccessVerdict proveDisjoint(const Access &access, const LaneValues &lanes,
                                   const LaunchContract &contract, std::string &key) {
  AccessVerdict verdict = decideDisjoint(access, lanes, contract, key);
  verdict.op = access.op;
  verdict.argument = access.argument;
  verdict.property = Property::Disjoint;
  if (verdict.witness && !isReproduced(verdict, contract))
    verdict.witness.reset();
  if (verdict.witness) {
    verdict.verdict = Verdict::Counterexample;
    verdict.reason = "two programs store to element " + std::to_string(verdict.witness->offset) +
                     " for " + verdict.witness->str();
  } else if (verdict.verdict == Verdict::Proved) {
    verdict.reason.clear();
  }
  if (verdict.verdict == Verdict::Proved && !access.assumed.empty()) {
    verdict.verdict = Verdict::Unknown;
    verdict.reason = "the launch is not known; holds where " + listed(access.assumed);
  }
  return verdict;
}

/// Whether two stores lead to one memory, perhaps by different arguments.
static bool shareMemory(const Access &a, const Access &b) {
  if (a.argument == b.argument)
    return true;
  return a.tensor && b.tensor && a.tensor->memory && a.tensor->memory == b.tensor->memory;
}

/// Two stores to one tensor must find the program back in the same way, or be apart.
static void compareStores(std::vector<AccessVerdict> &verdicts, ArrayRef<StoreProof> stores,
                          const LaneValues &lanes, const LaunchContract &contract) {
  for (const StoreProof &store : stores)
    for (const StoreProof &other : stores) {
      AccessVerdict &verdict = verdicts[store.verdict];
      if (&store == &other || verdict.verdict != Verdict::Proved ||
          !shareMemory(store.access, other.access) || store.access.isNeverExecuted() ||
          other.access.isNeverExecuted())
        continue;
      bool isSameArgument = store.access.argument == other.access.argument;
      bool isSameWay = !store.key.empty() && store.key == other.key;
      if (isSameArgument && (isSameWay || lieApart(store.access, other.access) ||
                             areApart(store.access, other.access, lanes, contract)))
        continue;
      verdict.verdict = Verdict::Unknown;
      verdict.reason = isSameArgument
                           ? "another store to the same tensor follows another pattern"
                           : "another argument leads to the same memory and is stored to";
    }
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

static std::vector<AccessVerdict> proveAsGiven(func::FuncOp kernel,
                                               const LaunchContract &contract) {
  LaneValues lanes(kernel, contract);
  std::vector<AccessVerdict> verdicts;
  std::vector<StoreProof> stores;
  KnownWays ways;
  using Clock = ProcessorClock;
  kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (!memoryOperandsOf(op).pointer)
      return;
    Clock::time_point start = Clock::now();
    Access access = makeAccess(op, lanes, contract);
    verdicts.push_back(proveBounds(access, lanes, contract, ways));
    verdicts.back().spent = Clock::now() - start;
    if (!isa<tile::StoreOp>(op))
      return;
    start = Clock::now();
    std::string key;
    verdicts.push_back(proveDisjoint(access, lanes, contract, key));
    verdicts.back().spent = Clock::now() - start;
    stores.push_back({verdicts.size() - 1, key, access});
  });
  compareStores(verdicts, stores, lanes, contract);
  return verdicts;
}

std::vector<AccessVerdict> proveAccesses(func::FuncOp kernel, const LaunchContract &contract) {
  std::vector<AccessVerdict> verdicts = proveAsGiven(kernel, contract);
  auto isOpen = [](const AccessVerdict &verdict) { return verdict.verdict == Verdict::Unknown; };
  if (contract.isOpen || llvm::none_of(verdicts, isOpen))
    return verdicts;
  std::optional<LaunchContract> blocks = withNamedBlocks(contract);
  for (const std::optional<LaunchContract> &named :
       {withNamedSizes(blocks.value_or(contract)), blocks}) {
    if (!named || llvm::none_of(verdicts, isOpen))
      continue;
    for (auto [verdict, again] : llvm::zip_equal(verdicts, proveAsGiven(kernel, *named))) {
      again.spent += verdict.spent;
      if (isOpen(verdict) && again.verdict == Verdict::Proved)
        verdict = again;
    }
  }
  return verdicts;
}

} // namespace nereid::analysis
