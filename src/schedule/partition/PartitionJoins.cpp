// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Moves that join two kernels: in one launch, in one program, or with folds carried over rows.
#include "schedule/partition/Partitioner.h"

#include "schedule/nest/SpanKernel.h"
#include "schedule/rewrites/SplitFolds.h"

namespace nereid::schedule {

/// Kernels that have nothing in common are joined for this share of their time, up to so many
/// tensors.
static constexpr double leastShare = 0.05;
static constexpr size_t mostTensors = 16;

/// Whether `to` needs something that `from` stores by way of other kernels.
bool Partitioner::standsBetween(size_t from, size_t to) const {
  return llvm::any_of(kernelReaders[from],
                      [&](size_t next) { return next != to && waiting[next].test(to); });
}

/// Finds which kernels wait for which; they stay the same while moves are looked at.
void Partitioner::findReaders() {
  llvm::DenseMap<const Value *, size_t> makers;
  for (auto [number, candidate] : llvm::enumerate(candidates))
    for (const Value *output : candidate->outputs)
      makers[output] = number;
  kernelReaders.assign(candidates.size(), {});
  auto addReader = [&](const Value *load, size_t number) {
    if (auto maker = makers.find(load); maker != makers.end() && maker->second != number)
      kernelReaders[maker->second].push_back(number);
  };
  for (auto [number, candidate] : llvm::enumerate(candidates))
    for (const Value *load : candidate->loads) {
      addReader(load, number);
      if (load->isJoin)
        for (const Value *part : partsOf.at(load))
          addReader(part, number);
    }
  waiting.assign(candidates.size(), llvm::BitVector(candidates.size()));
  // Readers first.
  llvm::BitVector known(candidates.size());
  auto find = [&](auto &find, size_t number) -> void {
    if (known.test(number))
      return;
    known.set(number);
    for (size_t reader : kernelReaders[number]) {
      find(find, reader);
      waiting[number].set(reader);
      waiting[number] |= waiting[reader];
    }
  };
  for (size_t number = 0; number < candidates.size(); ++number)
    find(find, number);
}

/// Whether two kernels read the same, or one what the other makes. Numbers say nothing.
bool Partitioner::areRelated(const Candidate &a, const Candidate &b) const {
  return llvm::any_of(a.outputs, [&](Value *output) { return b.loads.contains(output); }) ||
         llvm::any_of(b.outputs, [&](Value *output) { return a.loads.contains(output); }) ||
         llvm::any_of(a.loads, [&](const Value *load) {
           return !load->shape.empty() && b.loads.contains(load);
         });
}

/// Whether no third kernel stands between two.
bool Partitioner::mayJoin(size_t first, size_t second) const {
  const Candidate &a = *candidates[first], &b = *candidates[second];
  if (!policy.has(MoveKind::Fusion) && a.outputs.front()->unit != b.outputs.front()->unit)
    return false;
  return !standsBetween(first, second) && !standsBetween(second, first);
}

/// Whether kernels that have nothing in common may share a launch: where launches are a good part
/// of the time, and rows or elements are as many.
bool Partitioner::mayShareLaunch(const Candidate &a, const Candidate &b) const {
  if (device.launchUs < leastShare * (a.cost + b.cost) || a.kernel.hasRows != b.kernel.hasRows)
    return false;
  if (a.kernel.hasRows)
    return a.kernel.rows.extents == b.kernel.rows.extents;
  return a.outputs.front()->shape == b.outputs.front()->shape;
}

std::optional<Partitioner::Move> Partitioner::tryJoin(size_t first, size_t second) {
  const Candidate &a = *candidates[first], &b = *candidates[second];
  bool related = areRelated(a, b);
  // Kernels of halves are alike, and one serves all of them.
  auto makesHalves = [](const Candidate &candidate) {
    return candidate.outputs.front()->isAlwaysStored;
  };
  if (!policy.isChosen() && (makesHalves(a) || makesHalves(b)))
    return std::nullopt;
  if (!related && (!policy.has(MoveKind::SharedLaunches) || !mayShareLaunch(a, b)))
    return std::nullopt;
  llvm::SmallVector<Value *> outputs(a.outputs.begin(), a.outputs.end());
  outputs.append(b.outputs.begin(), b.outputs.end());
  llvm::sort(outputs, [](Value *a, Value *b) { return a->order < b->order; });
  auto joined = evaluate(outputs, stored);
  if (!joined)
    return std::nullopt;
  Move move;
  move.gain = a.cost + b.cost - joined->cost;
  if (!related && (move.gain < leastShare * (a.cost + b.cost) ||
                   joined->loads.size() + outputs.size() > mostTensors))
    return std::nullopt;
  move.removed = {first, second};
  move.added.push_back(std::move(joined));
  return move;
}

/// Whether a fold runs over all rows, or its windows are its own: only the fold of its results
/// knows how long they are. The data say over which rows a segment runs.
bool Partitioner::isCarriable(const Value &value) const {
  auto op = llvm::dyn_cast_or_null<graph::FoldOp>(value.op);
  bool isPlain = value.kind == ValueKind::Fold && !value.isCarried && !value.isSegment && op &&
                 op.getKind() != graph::FoldKind::Argmax && op.getKind() != graph::FoldKind::Argmin;
  return isPlain && (value.window == 0 || llvm::all_of(readersOf(value), [](const Value *reader) {
                       return reader->kind == ValueKind::Fold && reader->window == 0;
                     }));
}

/// Whether programs of another kernel may carry the folds of this one.
bool Partitioner::mayCarry(const Candidate &folds) const {
  if (!policy.allows(MoveKind::CarriedFolds))
    return false;
  const Value *first = carriedFor(folds.outputs.front());
  return first && llvm::all_of(folds.outputs, [&](Value *output) {
           const Value *fold = carriedFor(output);
           return fold && fold->window == first->window && fold->foldExtents == first->foldExtents;
         });
}

/// The fold to be carried for an output: itself, or what it is a cast of; null when there is none.
Value *Partitioner::carriedFor(Value *output) const {
  Value *fold = output;
  while (fold->isCast() && (fold == output || !stored.contains(fold)))
    fold = fold->inputs[0].from;
  if (fold != output && (stored.contains(fold) || fold->shape != output->shape))
    return nullptr;
  return isCarriable(*fold) ? fold : nullptr;
}

/// Joins a kernel of folds to one of the rows that they run over, whose programs carry them.
std::optional<Partitioner::Move> Partitioner::tryCarry(size_t rows, size_t folds) {
  const Candidate &a = *candidates[rows], &b = *candidates[folds];
  if (!areRelated(a, b))
    return std::nullopt;
  // Parts have programs of their own, so that there are enough.
  bool makesParts = llvm::any_of(a.outputs, [](const Value *output) { return output->isPart; });
  if (makesParts && !policy.isChosen())
    return std::nullopt;
  Move move;
  for (Value *output : b.outputs) {
    move.carried.push_back(carriedFor(output));
    if (move.carried.back() != output)
      move.restored.push_back(move.carried.back());
  }
  // Either all folds are results or none: one kernel converts what is carried.
  if (!move.restored.empty() && move.restored.size() != b.outputs.size())
    return std::nullopt;
  // The casts are made behind the rows, which cannot wait for them.
  bool waits = llvm::any_of(b.outputs, [&](Value *output) { return a.loads.contains(output); });
  if (!move.restored.empty() && waits)
    return std::nullopt;
  const Value &first = *move.carried.front();
  if (first.window != 0 && a.kernel.span == 0) {
    // Each element of the axes that nothing is folded over has programs of its own.
    int64_t rows = program.estimateElements(a.kernel.rows.extents);
    int64_t folded = program.estimateElements(first.foldExtents);
    int64_t outer = rows % folded == 0 ? std::max<int64_t>(rows / folded, 1) : 1;
    move.span = chooseSpan(program, first, device.multiprocessors, outer);
  } else if (first.window != 0) {
    move.span = a.kernel.span;
  }
  llvm::SmallVector<Value *, 4> outputs(a.outputs.begin(), a.outputs.end());
  outputs.append(move.carried.begin(), move.carried.end());
  llvm::sort(outputs, [](Value *a, Value *b) { return a->order < b->order; });

  // The folds are as the move makes them while its kernels are looked at.
  int64_t before = first.window;
  setWindows(program, move.carried, move.span, true);
  stored.insert(move.restored.begin(), move.restored.end());
  bool fits = true;
  auto replace = [&](size_t number, llvm::ArrayRef<Value *> outputs) {
    auto replaced = evaluate(outputs, stored);
    fits = replaced != nullptr;
    if (!fits)
      return;
    move.gain += candidates[number]->cost - replaced->cost;
    move.removed.push_back(number);
    move.added.push_back(std::move(replaced));
  };
  replace(rows, outputs);
  if (move.restored.empty()) {
    move.removed.push_back(folds);
    move.gain += b.cost;
  } else if (fits) {
    replace(folds, b.outputs);
  }
  for (size_t number = 0; number < candidates.size() && fits; ++number) {
    auto isRead = [&](Value *value) { return candidates[number]->loads.contains(value); };
    if (first.window != 0 && number != rows && number != folds && llvm::any_of(b.outputs, isRead))
      replace(number, candidates[number]->outputs);
  }
  setWindows(program, move.carried, before, false);
  for (const Value *fold : move.restored)
    stored.erase(fold);
  return fits ? std::optional(std::move(move)) : std::nullopt;
}

} // namespace nereid::schedule
