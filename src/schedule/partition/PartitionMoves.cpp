// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The moves that make kernels larger, and what each gains: inlining a value, joining two kernels,
// carrying folds over the rows of another.
#include "schedule/partition/Partitioner.h"

#include "graph/GraphOps.h"
#include "schedule/nest/SpanKernel.h"
#include "schedule/rewrites/SplitFolds.h"
#include "schedule/rewrites/StoredHalves.h"

#include "llvm/ADT/ScopeExit.h"

namespace nereid::schedule {

/// Values that are waited for above which compilers spill, where a lane has eight elements, and
/// values in a kernel above which readers get lost.
static constexpr size_t maxLiveValues = 24, maxValues = 256;

/// Kernels that have nothing in common are joined for this share of their time, up to so many
/// tensors.
static constexpr double leastShare = 0.05;
static constexpr size_t mostTensors = 16;

/// Whether a kernel's values do not fit into registers. A program that has rows may hold all of
/// them, and a loop's body is computed as a whole or not at all.
static bool isTooLarge(const Kernel &kernel, const KernelCost &cost) {
  // Beside halves there is no room for more than the tiles of the factors.
  if (kernel.contraction && kernel.contraction->haveHalves &&
      cost.factorTiles > kernel.contraction->sums + 1)
    return true;
  if (kernel.loop >= 0 || cost.values <= KernelCost::fewValues)
    return false;
  return (kernel.hasRows && !cost.isOfWindows) || cost.liveValues > maxLiveValues ||
         cost.values > maxValues;
}

std::unique_ptr<Candidate> Partitioner::evaluate(llvm::ArrayRef<Value *> outputs,
                                                 const StoredSet &stored) {
  auto kernel = planKernel(program, outputs, stored);
  if (!kernel)
    return nullptr;
  KernelCost cost = estimateCost(program, *kernel, stored, device);
  // A part is there for all programs once its kernel has ended.
  bool readsOwn = llvm::any_of(outputs, [&](const Value *output) {
    return output->join && cost.loads.contains(output->join);
  });
  if (readsOwn || isTooLarge(*kernel, cost))
    return nullptr;
  auto candidate = std::make_unique<Candidate>();
  candidate->id = nextId++;
  candidate->outputs.assign(outputs.begin(), outputs.end());
  candidate->cost = cost.microseconds;
  candidate->loads = std::move(cost.loads);
  candidate->kernel = std::move(*kernel);
  return candidate;
}

/// Whether only values of a unit read a value; what is never stored reads it for its own readers.
bool Partitioner::isReadWithin(const Value &value, unsigned unit) const {
  return llvm::all_of(readersOf(value), [&](const Value *reader) {
    return reader->unit == unit && (!reader->isInlineOnly || isReadWithin(*reader, unit));
  });
}

/// Whether the stage lets a value be inlined at all.
bool Partitioner::mayInline(const Value &value) const {
  bool isReadWhole = llvm::any_of(readersOf(value), [](const Value *reader) {
    return reader->kind == ValueKind::Sort || reader->kind == ValueKind::Call;
  });
  if (results.contains(&value) || value.join || value.isAlwaysStored || value.isNeverInlined ||
      value.isPart || value.kind == ValueKind::Sort || isReadWhole ||
      value.kind == ValueKind::Scatter || value.kind == ValueKind::Call)
    return false;
  // What windows have of their own must not wait for what is made of all of them.
  if (value.window != 0 && !policy.isChosen())
    return false;
  if (policy.has(MoveKind::Fusion))
    return true;
  // A cast belongs to whoever reads it; it is no operator of the program. But one that a result
  // implies belongs to the operator: it is what the operator stores.
  if (value.isCast() && !value.isElidableCast())
    return true;
  return isReadWithin(value, value.unit);
}

/// Inlines a value into the kernels that load it; `involved` are these and the one that stores it.
std::optional<Partitioner::Move> Partitioner::tryInline(Value *value,
                                                        llvm::ArrayRef<size_t> involved) {
  std::optional<Move> alone = tryInlineAll(value, involved);
  if (!alone)
    alone = tryInlineBesideFolds(value, involved);
  if (!alone)
    alone = tryInlineBesideHalf(value, involved);
  llvm::SmallVector<Value *, 4> together = {value};
  addRowFolds(together, involved);
  if (together.size() == 1)
    return alone;
  std::optional<Move> all = tryInlineAll(together, involved);
  return all && (!alone || all->gain > alone->gain) ? std::move(all) : std::move(alone);
}

/// The folds that make a value of stored ones, those that others are made of left out.
llvm::SmallVector<Value *, 2> Partitioner::foldsOf(Value &value) const {
  llvm::SetVector<Value *> folds;
  llvm::SetVector<Value *> reached;
  reached.insert(&value);
  for (size_t next = 0; next < reached.size(); ++next)
    forEachAccess(*reached[next], [&](Access &access) {
      Value *read = access.from;
      if (read->isFree() || stored.contains(read))
        return;
      (read->kind == ValueKind::Fold ? folds : reached).insert(read);
    });
  return folds.takeVector();
}

/// Whether a kernel makes a value that is not stored on its way to what it stores.
bool Partitioner::makesInline(const Candidate &candidate, const Value *wanted) const {
  llvm::SetVector<const Value *> reached;
  auto enter = [&](const Value &value) {
    forEachAccess(value, [&](const Access &access) {
      if (!access.from->isFree() && !stored.contains(access.from))
        reached.insert(access.from);
    });
  };
  for (const Value *output : candidate.outputs)
    enter(*output);
  for (size_t next = 0; next < reached.size() && !reached.contains(wanted); ++next)
    enter(*reached[next]);
  return reached.contains(wanted);
}

/// Plans the other kernels anew that make what a move stores: they read it then. False where one
/// cannot.
bool Partitioner::planReaders(Move &move, llvm::ArrayRef<Value *> restored) {
  for (size_t number = 0; number < candidates.size(); ++number) {
    const Candidate &candidate = *candidates[number];
    bool isMoved = llvm::is_contained(move.removed, number);
    if (isMoved ||
        llvm::none_of(restored, [&](const Value *value) { return makesInline(candidate, value); }))
      continue;
    stored.insert(restored.begin(), restored.end());
    llvm::SmallVector<Value *, 4> outputs(candidate.outputs.begin(), candidate.outputs.end());
    std::unique_ptr<Candidate> planned = evaluate(outputs, stored);
    for (const Value *value : restored)
      stored.erase(value);
    if (!planned)
      return false;
    move.gain += candidate.cost - planned->cost;
    move.removed.push_back(number);
    move.added.push_back(std::move(planned));
  }
  return true;
}

/// Inlines a value into contractions whose rows are not those that its own folds have: the folds
/// are stored in its place. What softmax's gradient subtracts is a number of the rows of a product,
/// and of the columns of another.
std::optional<Partitioner::Move>
Partitioner::tryInlineBesideFolds(Value *value, llvm::ArrayRef<size_t> involved) {
  if (!policy.has(MoveKind::NestedContractions) || policy.isChosen())
    return std::nullopt;
  bool isOfRows = false, isOfContraction = false;
  for (size_t number : involved) {
    const Candidate &candidate = *candidates[number];
    if (candidate.loads.contains(value))
      isOfContraction |= candidate.kernel.contraction.has_value();
    else
      isOfRows = candidate.kernel.hasRows && !candidate.kernel.contraction &&
                 candidate.outputs.size() == 1;
  }
  if (!isOfRows || !isOfContraction)
    return std::nullopt;
  llvm::SmallVector<Value *, 2> folds = foldsOf(*value);
  bool mayStore = llvm::all_of(folds, [](const Value *fold) {
    return !fold->isInlineOnly && !fold->isCarried && fold->loop < 0 && fold->window == 0;
  });
  if (folds.empty() || !mayStore)
    return std::nullopt;
  stored.insert(folds.begin(), folds.end());
  std::unique_ptr<Candidate> ofFolds = evaluate(folds, stored);
  std::optional<Move> move;
  if (ofFolds)
    move = tryInlineAll(value, involved, ofFolds->cost);
  for (const Value *fold : folds)
    stored.erase(fold);
  if (move && !planReaders(*move, folds))
    return std::nullopt;
  if (move) {
    move->restored.assign(folds.begin(), folds.end());
    move->added.push_back(std::move(ofFolds));
  }
  return move;
}

/// Inlines a widened half that is stored, and stores in its place the half, or what it is rounded
/// from where that is left to its readers: matrix units take the half.
std::optional<Partitioner::Move> Partitioner::tryInlineBesideHalf(Value *value,
                                                                  llvm::ArrayRef<size_t> involved) {
  if (value->kind != ValueKind::Map || !value->isCast() || policy.isChosen())
    return std::nullopt;
  Value *half = value->inputs[0].from;
  auto wide = llvm::dyn_cast<mlir::FloatType>(value->elementType),
       narrow = llvm::dyn_cast<mlir::FloatType>(half->elementType);
  bool isWidened = wide && narrow && narrow.getWidth() < wide.getWidth();
  if (isWidened && half->isInlineOnly && half->isElidableCast())
    half = half->inputs[0].from;
  if (!isWidened || half->isFree() || half->isInlineOnly || half->loop >= 0 || half->window != 0 ||
      half->kind == ValueKind::Input || stored.contains(half))
    return std::nullopt;
  stored.insert(half);
  std::unique_ptr<Candidate> ofHalf = evaluate(half, stored);
  std::optional<Move> move;
  if (ofHalf)
    move = tryInlineAll(value, involved, ofHalf->cost);
  stored.erase(half);
  if (move && !planReaders(*move, half))
    return std::nullopt;
  if (move) {
    move->restored.push_back(half);
    move->added.push_back(std::move(ofHalf));
  }
  return move;
}

/// With what contractions make, adds what kernels of those that read it fold for each row and
/// others of them read: scores, and the greatest of them, are needed by one kernel or by none.
void Partitioner::addRowFolds(llvm::SmallVectorImpl<Value *> &values,
                              llvm::ArrayRef<size_t> involved) const {
  if (!policy.has(MoveKind::NestedContractions) || policy.isChosen())
    return;
  bool isOfContraction = false;
  for (size_t number : involved)
    isOfContraction |= stores(*candidates[number], values.front()) &&
                       candidates[number]->kernel.contraction.has_value();
  for (size_t number : involved) {
    const Candidate &candidate = *candidates[number];
    bool areFolds = isOfContraction && candidate.kernel.hasRows &&
                    candidate.loads.contains(values.front()) &&
                    llvm::all_of(candidate.kernel.outputs, [&](const KernelOutput &output) {
                      return output.columns < 0 && mayInline(*output.value);
                    });
    // Whoever else reads them must be looked at, too.
    for (size_t other = 0; other < candidates.size() && areFolds; ++other)
      areFolds = llvm::is_contained(involved, other) ||
                 llvm::none_of(candidate.outputs, [&](const Value *output) {
                   return candidates[other]->loads.contains(output);
                 });
    if (areFolds)
      values.append(candidate.outputs.begin(), candidate.outputs.end());
  }
}

/// Of other kernels that the move adds, what they cost.
std::optional<Partitioner::Move> Partitioner::tryInlineAll(llvm::ArrayRef<Value *> values,
                                                           llvm::ArrayRef<size_t> involved,
                                                           double ofOthers) {
  // Only these kernels look at the values.
  for (Value *value : values)
    stored.erase(value);
  llvm::scope_exit restore([&] { stored.insert(values.begin(), values.end()); });
  Move move;
  move.inlined.assign(values.begin(), values.end());
  double before = 0, after = ofOthers;
  for (size_t number : involved)
    before += candidates[number]->cost;
  for (size_t number : involved) {
    const Candidate &candidate = *candidates[number];
    llvm::SmallVector<Value *, 2> outputs;
    for (Value *output : candidate.outputs)
      if (!llvm::is_contained(values, output))
        outputs.push_back(output);
    move.removed.push_back(number);
    if (outputs.empty())
      continue;
    auto replaced = evaluate(outputs, stored);
    if (!replaced)
      return std::nullopt;
    after += replaced->cost;
    // Nothing is gained any more.
    if (after >= before && !policy.isChosen())
      return std::nullopt;
    move.added.push_back(std::move(replaced));
  }
  move.gain = before - after;
  return move;
}

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

/// Remembers a move for reports.
void Partitioner::note(const Move &move) {
  auto add = [&](MadeMove::Kind kind, llvm::ArrayRef<Value *> values) {
    MadeMove &noted = made.emplace_back();
    noted.kind = kind;
    noted.values.assign(values.begin(), values.end());
    noted.gain = move.gain;
  };
  if (!move.carried.empty())
    return add(MadeMove::Carry, move.carried);
  if (!move.inlined.empty())
    return add(MadeMove::Inline, move.inlined);
  if (!move.restored.empty())
    return add(MadeMove::Store, move.restored);
  llvm::SmallVector<Value *, 4> joined;
  for (size_t number : move.removed)
    llvm::append_range(joined, candidates[number]->outputs);
  add(MadeMove::Join, joined);
}

void Partitioner::apply(Move move) {
  note(move);
  setWindows(program, move.carried, move.span, true);
  stored.insert(move.restored.begin(), move.restored.end());
  for (const Value *value : move.inlined)
    stored.erase(value);
  llvm::sort(move.removed, std::greater<size_t>());
  for (size_t number : move.removed)
    candidates.erase(candidates.begin() + number);
  auto isBefore = [](const auto &a, const auto &b) {
    return a->outputs.front()->order < b->outputs.front()->order;
  };
  for (std::unique_ptr<Candidate> &candidate : move.added) {
    auto place = llvm::upper_bound(candidates, candidate, isBefore);
    candidates.insert(place, std::move(candidate));
  }
}

} // namespace nereid::schedule
