// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/OneAccess.h"
#include "analysis/Inference.h"
#include "analysis/NamedSizes.h"
#include "analysis/ProgramRecovery.h"
#include "analysis/Replay.h"

#include "tile/TileOps.h"

using namespace mlir;

namespace nereid::analysis {

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

AccessVerdict proveBounds(const Access &access, const LaneValues &lanes,
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
    if (contract.isBrief) {
      verdict.reason = missing;
      return verdict;
    }
    if (isInsideAsRead(access, some, Effort::Linear, missing, way))
      return proved(2);
    bool seeks = contract.seeksCounterexamples();
    if (seeks && refute(findOutside(access, lanes, contract)))
      return verdict;
    if (isInsideAsRead(access, some, Effort::Exact, missing, way))
      return proved(2);
    for (const auto &[bound, answer] : access.exactAnswers)
      if (seeks && answer.kind == IntegerAnswer::Kind::Fails &&
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
  if (!access.problem.empty() && access.tensor && contract.seeksCounterexamples())
    refute(findOutside(access, lanes, contract));
  return verdict;
}

std::string programOf(const Access &access, const LaneValues &lanes,
                      const LaunchContract &contract) {
  std::string key, reason;
  for (Effort effort : {Effort::Short, Effort::Simplified, Effort::Digits, Effort::Linear})
    if (access.problem.empty() && (effort != Effort::Linear || !contract.isBrief) &&
        tellsProgram(access, lanes, contract, effort, key, reason))
      return key;
  return "";
}

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
  if (access.problem.empty() &&
      (tells(Effort::Short, 1) || tells(Effort::Simplified, 1) || tells(Effort::Digits, 1) ||
       (!contract.isBrief && tells(Effort::Linear, 2))))
    return verdict;
  if (contract.isBrief)
    return verdict;
  if (access.tensor && !contract.isOpen && contract.seeksCounterexamples())
    verdict.witness = findOverlap(access, lanes, contract);
  if (!verdict.witness && areApart(access, access, lanes, contract)) {
    verdict.verdict = Verdict::Proved;
    verdict.tier = 2;
  }
  return verdict;
}

AccessVerdict proveDisjoint(const Access &access, const LaneValues &lanes,
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

} // namespace nereid::analysis
