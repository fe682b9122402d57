// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is stored when all moves are made need not be what is best to store: a quotient was inlined
// into its reader while a kernel stored it, and then its dividend and its divisor, which another
// kernel makes, stand between the two. The quotient in their place is one tensor.
#include "schedule/partition/Partitioner.h"

#include "llvm/ADT/ScopeExit.h"

namespace nereid::schedule {

/// The first value that other kernels make whatever they make of an output of a kernel: its
/// readers, those of these, and so on, come together in it. Null where there is none, or where it
/// is stored or must not be.
Value *Partitioner::laterOf(const Value &output, size_t number) const {
  if (!mayInline(output))
    return nullptr;
  // What each value is made into within those kernels.
  llvm::DenseMap<const Value *, llvm::SmallSetVector<Value *, 4>> madeInto;
  llvm::SetVector<Value *> reached;
  for (size_t other = 0; other < candidates.size(); ++other)
    if (other != number && candidates[other]->loads.contains(&output))
      reached.insert(candidates[other]->outputs.begin(), candidates[other]->outputs.end());
  for (size_t next = 0; next < reached.size(); ++next)
    forEachAccess(*reached[next], [&](Access &access) {
      madeInto[access.from].insert(reached[next]);
      if (!access.from->isFree() && !stored.contains(access.from))
        reached.insert(access.from);
    });
  auto isBefore = [](const Value *a, const Value *b) { return a->order < b->order; };
  llvm::SmallSetVector<Value *, 4> open = madeInto[&output];
  while (open.size() > 1) {
    Value *first = *llvm::min_element(open, isBefore);
    // What a loop carries is made into what comes before it.
    auto isBehind = [&](Value *value) { return isBefore(first, value); };
    if (stored.contains(first) || !llvm::all_of(madeInto[first], isBehind))
      return nullptr;
    open.remove(first);
    open.insert_range(madeInto[first]);
  }
  if (open.empty())
    return nullptr;
  Value *later = open.front();
  bool mayStand = later->kind == ValueKind::Map && later->op && later->loop < 0 &&
                  later->window == 0 && !later->isInlineOnly && !later->isElidableCast() &&
                  !later->join && !stored.contains(later) && !storedLater.contains(later);
  return mayStand ? later : nullptr;
}

/// A kernel, and those that read what of its outputs is made into a value alone.
llvm::SmallVector<size_t, 4> Partitioner::findMakers(size_t number, const Value *later) const {
  llvm::SmallVector<size_t, 4> numbers = {number};
  for (const Value *output : candidates[number]->outputs)
    if (laterOf(*output, number) == later)
      for (size_t other = 0; other < candidates.size(); ++other)
        if (other != number && candidates[other]->loads.contains(output) &&
            !llvm::is_contained(numbers, other))
          numbers.push_back(other);
  return numbers;
}

/// Stores a value in place of the outputs of the first kernel that are made into it alone; the
/// others read these.
std::optional<Partitioner::Move> Partitioner::tryStoreLater(Value *later,
                                                            llvm::ArrayRef<size_t> involved) {
  llvm::SmallVector<Value *, 2> earlier, outputs = {later};
  double bytes = 0;
  for (Value *output : candidates[involved.front()]->outputs) {
    bool isOfLater = laterOf(*output, involved.front()) == later;
    (isOfLater ? earlier : outputs).push_back(output);
    bytes += isOfLater ? bytesOf(*output) : 0;
  }
  double saved = bytes - bytesOf(*later);
  if (saved < 0 && !policy.isChosen())
    return std::nullopt;
  llvm::sort(outputs, [](const Value *a, const Value *b) { return a->order < b->order; });
  stored.insert(later);
  for (const Value *value : earlier)
    stored.erase(value);
  llvm::scope_exit restore([&] {
    stored.insert(earlier.begin(), earlier.end());
    stored.erase(later);
  });
  Move move;
  move.inlined.assign(earlier.begin(), earlier.end());
  move.restored = {later};
  // Kernels that wait for something else move bytes beside it, which is not free.
  constexpr double ofBeside = 0.2;
  move.gain = ofBeside * saved * double(involved.size()) / device.bytesPerUs;
  for (size_t number : involved) {
    const Candidate &candidate = *candidates[number];
    std::unique_ptr<Candidate> replaced =
        evaluate(number == involved.front() ? outputs : candidate.outputs, stored);
    if (!replaced)
      return std::nullopt;
    move.gain += candidate.cost - replaced->cost;
    move.removed.push_back(number);
    move.added.push_back(std::move(replaced));
  }
  return move;
}

/// The move of this kind that gains most.
std::optional<Partitioner::Move> Partitioner::bestLater() {
  if (!policy.has(MoveKind::Fusion))
    return std::nullopt;
  std::optional<std::pair<const Value *, unsigned>> best;
  double bestGain = leastGain;
  for (size_t number = 0; number < candidates.size(); ++number)
    for (const Value *output : candidates[number]->outputs) {
      Value *later = laterOf(*output, number);
      if (!later)
        continue;
      llvm::SmallVector<size_t, 4> involved = findMakers(number, later);
      llvm::SmallVector<unsigned, 4> ids = idsOf(involved);
      std::pair<const Value *, unsigned> place = {later, ids.front()};
      KnownMove &known = laterMoves[place];
      if (known.ids != ids)
        known = {ids, tryStoreLater(later, involved)};
      // The kernels are the same, their places may be others by now.
      if (known.move)
        known.move->removed.assign(involved.begin(), involved.end());
      if (!known.move || known.move->gain <= bestGain || closesCircle(*known.move))
        continue;
      best = place;
      bestGain = known.move->gain;
    }
  if (!best)
    return std::nullopt;
  storedLater.insert(best->first);
  auto known = laterMoves.find(*best);
  Move move = std::move(*known->second.move);
  laterMoves.erase(known);
  return move;
}

} // namespace nereid::schedule
